import {
  AWAY,
  BAD_INPUT,
  bytes,
  CHOSEN_CHANNELS,
  CONFLICT,
  created,
  FORCE,
  FORCE_OR_WAIT,
  missing,
  NO_ROOM,
  ok,
  type Operation,
  operationsOf,
  type Paths,
  refusal,
  UNCHANGED,
  VERSION_OF_LIST,
} from "./operation.ts";

const stream = operationsOf("Streams");
const noStream = missing("stream");
const theStream = ok("The stream.", "Stream");
const notRunning = refusal(409, "The stream does not run.");

/** A POST without a body; the answer is the stream's status afterwards. */
function command(
  word: string,
  summary: string,
  refusals: Operation["answers"][] = [],
  query?: Operation["query"],
): Operation {
  const answers = [ok("How the stream is then.", "Status"), noStream, AWAY, ...refusals];
  return stream(`${word}Stream`, summary, answers, { query });
}

const snapshot = (id: string, type: string, summary: string) =>
  stream(id, summary, [
    { 200: { what: "The picture.", types: [type], headers: { etag: "For `If-None-Match`." } } },
    UNCHANGED,
    noStream,
    notRunning,
    AWAY,
  ], { description: "At most a second old. Whoever asks counts as somebody who watches." });

const motion = (id: string, summary: string) =>
  stream(id, summary, [
    bytes("The pictures, as long as the channel is on.", "multipart/x-mixed-replace"),
    BAD_INPUT,
    refusal(404, "There is no such stream, or its channel is off."),
    refusal(503, "There are too many viewers."),
  ], { query: { fps: "Pictures a second: 1 to 5, by default 2." } });

/** The paths of one stream. */
export const STREAM_PATHS: Paths = {
  "/api/streams/{id}": {
    get: stream("getStream", "One stream", [theStream, noStream]),
    put: stream(
      "replaceStream",
      "Replace a stream's settings",
      [theStream, BAD_INPUT, noStream, CONFLICT, AWAY],
      {
        description: "Absent fields get their default; an absent password stays.",
        query: FORCE,
        body: "WholeStream",
      },
    ),
    patch: stream(
      "changeStream",
      "Change some of a stream's settings",
      [theStream, BAD_INPUT, noStream, CONFLICT, AWAY],
      { description: "Only the programs that need it restart.", query: FORCE, body: "StreamChange" },
    ),
    delete: stream("deleteStream", "Stop a stream and remove all there is of it", [
      { 204: { what: "It is gone." } },
      noStream,
      AWAY,
    ]),
  },
  "/api/streams/{id}/start": {
    post: command("start", "Start what is down", [NO_ROOM, BAD_INPUT], {
      ...FORCE_OR_WAIT,
      minutes: "1 to 10080: have a planned stream on the air for so long, whatever its plan has.",
      until: "next: the same until the next time of its plan begins.",
    }),
  },
  "/api/streams/{id}/stop": {
    post: command("stop", "Stop a stream", [BAD_INPUT], {
      until: "next: only until the next time of its plan begins.",
    }),
  },
  "/api/streams/{id}/restart": { post: command("restart", "Stop and start a stream", [NO_ROOM], FORCE) },
  "/api/streams/{id}/recreate": {
    post: stream("recreateStream", "Start again with an empty browser profile", [
      { 202: { what: "It has begun.", json: "Status" } },
      noStream,
      AWAY,
    ], { description: "The stream's state tells how far it is." }),
  },
  "/api/streams/{id}/home": {
    post: command("home", "Bring the stream's own page back, and close other windows", [notRunning]),
  },
  "/api/streams/{id}/autoreload": {
    post: stream(
      "setAutoReload",
      "Set how often the page is reloaded; the channel goes on",
      [theStream, BAD_INPUT, noStream, AWAY],
      { body: "AutoReload" },
    ),
  },
  "/api/streams/{id}/snapshot.jpg": {
    get: snapshot("getSnapshot", "image/jpeg", "What the stream shows now, in its full size"),
  },
  "/api/streams/{id}/snapshot.png": {
    get: snapshot("getSnapshotPng", "image/png", "The same without loss"),
  },
  "/api/streams/{id}/mjpeg": {
    get: motion("getPictures", "What the stream shows as JPEGs that go on (MJPEG)"),
    head: motion("headPictures", "Its headers, at once"),
  },
  "/api/streams/{id}/thumb": {
    get: stream("getThumbnail", "The stream's thumbnail", [
      { 200: { what: "A JPEG.", types: ["image/jpeg"], headers: { etag: "Of this thumbnail." } } },
      {
        202: {
          what: "There is none yet; an image that says so.",
          types: ["image/svg+xml"],
          headers: { "retry-after": "Seconds." },
        },
      },
      UNCHANGED,
      {
        404: {
          what: "No such stream; or an image that says that there is none.",
          types: ["application/json", "image/svg+xml"],
        },
      },
    ], {
      query: {
        at:
          "Its time, `thumbAt` of the status: while it is this thumbnail, a client may keep the answer for 5 minutes.",
        logo: "Any value: where there is no thumbnail, a JPEG that says so. Apps show no SVG.",
      },
    }),
    post: stream("captureThumbnail", "Capture a new thumbnail", [
      { 202: { what: "It is being captured; the time of the one before.", json: "ThumbnailTime" } },
      noStream,
      refusal(409, "The stream does not show its page."),
    ]),
  },
  "/api/streams/{id}/vnc": {
    get: stream("getVncToken", "The token of the stream's display, for pages of the service", [
      ok("The token.", "VncToken"),
      refusal(403, "Not asked by a page of the service."),
      noStream,
      refusal(503, "There is none yet."),
    ], { description: "Needs the header `X-Requested-With: browser-stream`." }),
  },
  "/api/streams/{id}/events": {
    get: stream(
      "getStreamEvents",
      "What happened to the stream, the oldest first",
      [ok("The events.", "Events"), BAD_INPUT, noStream],
      {
        query: {
          after:
            "The `next` of the answer before: what came since, and the last event again if it was only counted.",
        },
      },
    ),
  },
  "/api/streams/{id}/heartbeats": {
    get: stream("getStreamHeartbeats", "The stream's last 24 hours and last 30 days", [
      ok("In slots of 15 minutes, and of 8 hours.", "StreamHeartbeats"),
      noStream,
    ]),
  },
  "/api/streams/{id}/log": {
    get: stream("getLogs", "Which logs there are", [ok("The logs.", "Logs"), noStream]),
  },
  "/api/streams/{id}/log/{program}": {
    get: stream("getLog", "The end of a program's log", [
      {
        200: {
          what: "A part of the log; with `download`, all of it.",
          json: "LogPart",
          types: ["text/plain"],
        },
      },
      BAD_INPUT,
      refusal(404, "There is no such stream, program or log."),
    ], { query: { after: "The `next` of the answer before.", download: "The whole log, as a file." } }),
  },
};

/** The paths of all streams together. */
export const LIST_PATHS: Paths = {
  "/api/streams": {
    get: stream("listStreams", "All streams in card order", [
      ok("The streams.", "Streams", VERSION_OF_LIST),
    ]),
    post: stream(
      "createStream",
      "Add a stream",
      [created("The stream.", "Stream"), BAD_INPUT, NO_ROOM, AWAY],
      {
        description: "It is started unless `desiredState` is `stopped`.",
        query: FORCE_OR_WAIT,
        body: "NewStream",
      },
    ),
    delete: stream("deleteStreams", "Delete several streams with all their data", [
      ok("Which are deleted, and why others are not.", "Deleted"),
      BAD_INPUT,
    ], {
      description: "Sooner than one by one. One that is not there counts as deleted.",
      query: { ids: "1 to 100 ids, with commas between them." },
    }),
  },
  "/api/streams/try": {
    post: stream("tryPage", "Open a page that is no stream, for some seconds", [
      ok("What the page is like.", "TriedPage"),
      BAD_INPUT,
      refusal(404, "The stream that is edited does not exist."),
      refusal(409, "Another page is being tried, or something newer."),
      AWAY,
    ], { body: "PageToTry" }),
  },
  "/api/streams/reorder": {
    put: stream("reorderStreams", "Set the order of the cards", [
      ok("The order.", "Order"),
      BAD_INPUT,
      CONFLICT,
    ], { body: "NewOrder" }),
  },
  "/api/streams/statuses": {
    get: stream("listStatuses", "How all streams are, by id", [
      ok("Up to 3 s old.", "Statuses", VERSION_OF_LIST),
      noStream,
      AWAY,
    ], {
      description: "`/api/events` tells what changes, without being asked again.",
      query: { id: "Of this stream only." },
    }),
  },
  "/api/streams/heartbeats": {
    get: stream("listHeartbeats", "The last 24 hours of all streams", [
      ok("In slots of 15 minutes.", "Heartbeats"),
    ]),
  },
  "/api/streams/export": {
    get: stream("exportStreams", "The streams and the walls as a file, without secrets", [
      ok("The streams, and the walls.", "Exported"),
    ]),
  },
  "/api/streams/import": {
    post: stream("importStreams", "Take over a list of streams, and the walls beside it", [
      ok("What was, or would be, done.", "Imported"),
      BAD_INPUT,
      refusal(
        409,
        "One of the streams is being deleted, or there is no room: `capacity` says why.",
        "Conflict",
      ),
    ], { query: { preview: "Only tells what would change.", ...FORCE }, body: "StreamList" }),
  },
  "/api/streams/playlist": {
    get: operationsOf("Viewing")("getPlaylist", "All channels for IPTV apps", [
      bytes("An M3U playlist.", "audio/x-mpegurl"),
      BAD_INPUT,
    ], { query: CHOSEN_CHANNELS }),
  },
};
