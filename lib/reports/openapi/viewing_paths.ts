import {
  AWAY,
  bytes,
  CHOSEN_CHANNELS,
  ok,
  operationsOf,
  type Paths,
  refusal,
  UNCHANGED,
} from "./operation.ts";

const viewing = operationsOf("Viewing");

const file = [
  bytes("A playlist or a segment.", "application/vnd.apple.mpegurl", "video/mp2t"),
  { 302: { what: "The address of the channel's past, for a request with `utc`." } },
  UNCHANGED,
  refusal(400, "`utc` is no time."),
  refusal(403, "The channel's past is for operators and admins alone."),
  refusal(404, "There is no such file."),
  refusal(502, "The media server does not answer."),
];

const PAST = {
  utc: "Of the playlist: the past from this time on, RFC 3339 or Unix seconds (catch-up).",
  lutc: "What an app that asks for `utc` takes for now. It counts for nothing.",
  duration: "With `utc`: as that of the past's playlist.",
  end: "With `utc`: as that of the past's playlist.",
};

const transport = [
  bytes("The stream, as long as the channel is on.", "video/mp2t"),
  refusal(404, "There is no such stream, or its channel is off."),
  refusal(503, "There are too many viewers."),
];

const channelList = (id: string, summary: string) =>
  viewing(id, summary, [bytes("An M3U playlist.", "audio/x-mpegurl")], { query: CHOSEN_CHANNELS });

/** The paths for viewers and their players. */
export const VIEWING_PATHS: Paths = {
  "/api/hls/{path}": {
    get: viewing("getHls", "A file of a channel; `live/{id}/index.m3u8` is its playlist", file, {
      description:
        "The slashes of the path stay as they are. `EXT-X-PROGRAM-DATE-TIME` of the playlist is the machine's " +
        "clock when the picture was on the page.",
      query: PAST,
    }),
    head: viewing("headHls", "The headers of a channel's file", file, { query: PAST }),
    options: viewing("optionsHls", "The rights of players on other sites", [{
      204: { what: "The methods and headers that such a player may use." },
    }]),
  },
  "/api/ts/{id}": {
    get: viewing("getTransportStream", "A channel as one MPEG transport stream that goes on", transport, {
      description:
        "The stream begins with a key frame. A client that reads too slowly goes on at a later key frame.",
    }),
    head: viewing("headTransportStream", "The headers of that stream, at once", transport),
  },
  "/api/channels": {
    get: viewing("listChannels", "The channels by their numbers in the playlist", [
      ok("The channels.", "Channels"),
      AWAY,
    ]),
  },
  "/api/player-html/{id}": {
    get: viewing("getPlayer", "A minimal player", [
      bytes("A page.", "text/html"),
      { 404: { what: "A page that says that there is no such stream.", types: ["text/html"] } },
    ]),
  },
  "/api/webvnc/{path}": {
    get: viewing("getVncFile", "noVNC's files", [
      bytes("A file.", "text/javascript", "text/html", "application/octet-stream"),
      refusal(404, "There is no such file."),
      refusal(502, "The VNC proxy does not answer."),
    ], { description: "A WebSocket upgrade with `?token=` becomes the connection to the stream's display." }),
  },
};

/** The paths for IPTV apps; below /t/{token} without a login. */
export const APP_PATHS: Paths = {
  "/playlist.m3u": { get: channelList("getChannelList", "All channels for IPTV apps") },
  "/playlist.m3u8": {
    get: channelList("getChannelListByEnding", "All channels, for IPTV apps that want this ending"),
  },
  "/epg.xml": {
    get: viewing("getGuide", "The programme guide", [bytes("XMLTV.", "application/xml"), UNCHANGED]),
  },
};
