import { CHOSEN_CHANNELS, ERRORS, type Operation, type Paths } from "./operation.ts";

const { badInput, unknown, away } = ERRORS;

const file: Operation["answers"] = {
  200: {
    what: "A playlist or a segment.",
    types: ["application/vnd.apple.mpegurl", "video/mp2t"],
  },
  304: { what: "Still the one of `If-None-Match`." },
  404: { what: "There is no such file.", json: "Error" },
  502: { what: "The media server does not answer.", json: "Error" },
};

const transport: Operation["answers"] = {
  200: { what: "The stream, as long as the channel is on.", types: ["video/mp2t"] },
  404: { what: "There is no such stream, or its channel is off.", json: "Error" },
  503: { what: "There are too many viewers.", json: "Error" },
};

/** The paths for viewers and their players. */
export const VIEWING_PATHS: Paths = {
  "/api/hls/{path}": {
    get: {
      id: "getHls",
      tag: "Viewing",
      summary: "A file of a channel: `live/{id}/index.m3u8` is the channel",
      description: "The path has slashes.",
      answers: file,
    },
    head: { id: "headHls", tag: "Viewing", summary: "The headers of a channel's file", answers: file },
    options: {
      id: "optionsHls",
      tag: "Viewing",
      summary: "For players of other sites",
      answers: { 204: { what: "What they may ask for." } },
    },
  },
  "/api/ts/{id}": {
    get: {
      id: "getTransportStream",
      tag: "Viewing",
      summary: "A channel as one MPEG transport stream that goes on",
      description: "It begins with a key frame. A client that reads too slowly goes on at a later one.",
      answers: transport,
    },
    head: { id: "headTransportStream", tag: "Viewing", summary: "Its headers, at once", answers: transport },
  },
  "/api/channels": {
    get: {
      id: "listChannels",
      tag: "Viewing",
      summary: "The channels by their numbers, which are the playlist's",
      answers: { 200: { what: "The channels.", json: "Channels" }, 503: away },
    },
  },
  "/api/player-html/{id}": {
    get: {
      id: "getPlayer",
      tag: "Viewing",
      summary: "A minimal player",
      answers: {
        200: { what: "A page.", types: ["text/html"] },
        404: { what: "A page that says so.", types: ["text/html"] },
      },
    },
  },
  "/api/webvnc/{path}": {
    get: {
      id: "getVncFile",
      tag: "Viewing",
      summary: "noVNC's files",
      description: "A WebSocket upgrade with `?token=` becomes the connection to the stream's display.",
      answers: {
        200: { what: "A file.", types: ["text/javascript", "text/html", "application/octet-stream"] },
        404: { what: "There is no such file.", json: "Error" },
        502: { what: "The VNC proxy does not answer.", json: "Error" },
      },
    },
  },
};

const channelList = (id: string, summary: string): Operation => ({
  id,
  tag: "Viewing",
  summary,
  query: CHOSEN_CHANNELS,
  answers: { 200: { what: "An M3U playlist.", types: ["audio/x-mpegurl"] } },
});

/** The paths for IPTV apps; below /t/{token} without a login. */
export const APP_PATHS: Paths = {
  "/playlist.m3u": { get: channelList("getChannelList", "All channels for IPTV apps") },
  "/playlist.m3u8": {
    get: channelList("getChannelListByEnding", "The same, for apps that go by the ending"),
  },
  "/epg.xml": {
    get: {
      id: "getGuide",
      tag: "Viewing",
      summary: "The programme guide",
      answers: {
        200: { what: "XMLTV.", types: ["application/xml"] },
        304: { what: "Still the one of `If-None-Match`." },
      },
    },
  },
};

/** The paths for monitors. */
export const MONITORING_PATHS: Paths = {
  "/healthz": {
    get: {
      id: "getHealth",
      tag: "Service",
      summary: "Whether the service can do its work; needs no login",
      answers: {
        200: { what: "It can.", json: "Health" },
        503: { what: "It cannot, and why.", json: "Health" },
      },
    },
  },
  "/metrics": {
    get: {
      id: "getMetrics",
      tag: "Service",
      summary: "Figures for Prometheus",
      description: "With a login or METRICS_TOKEN, it wants the session or the token, as Bearer or Basic.",
      answers: { 200: { what: "Prometheus' text format.", types: ["text/plain"] } },
    },
  },
};

/** The paths of the service itself. */
export const SERVICE_PATHS: Paths = {
  "/api/events": {
    get: {
      id: "listen",
      tag: "Service",
      summary: "How all streams are, and then what changes, as server-sent events",
      description:
        "`state` comes first: `StateEvent`, all statuses and the list's version. Then `status` (`Status`, " +
        "one stream is otherwise), `thumbnail` (`ThumbnailEvent`) and `list` (`ListEvent`: ask for the list again). " +
        "A client that is slow is told the newest only. The connection ends after an hour; connect again.",
      answers: {
        200: { what: "Events.", types: ["text/event-stream"] },
        503: {
          what: "Too many listen, or the supervisor does not answer.",
          json: "Error",
          headers: { "retry-after": "Seconds." },
        },
      },
    },
  },
  "/api/figures": {
    get: {
      id: "getFigures",
      tag: "Service",
      summary: "Who watches each stream, and what it takes",
      answers: { 200: { what: "By id.", json: "Figures" }, 503: away },
    },
  },
  "/api/system": {
    get: {
      id: "getSystem",
      tag: "Service",
      summary: "How the service and its machine are, and what the streams take",
      answers: { 200: { what: "The figures.", json: "System" } },
    },
  },
  "/api/config": {
    get: {
      id: "getConfig",
      tag: "Service",
      summary: "The DEFAULT_… settings",
      answers: { 200: { what: "The settings.", json: "Defaults" } },
    },
  },
  "/api/extensions": {
    get: {
      id: "listExtensions",
      tag: "Service",
      summary: "The own browser extensions that streams can choose",
      answers: { 200: { what: "Those that are there.", json: "Extensions" } },
    },
  },
  "/api/openapi.json": {
    get: {
      id: "getOpenApi",
      tag: "Service",
      summary: "This document",
      answers: { 200: { what: "OpenAPI 3.1.", types: ["application/json"] } },
    },
  },
  "/api/webhook": {
    get: {
      id: "getWebhook",
      tag: "Service",
      summary: "Whether somebody is told when a stream fails",
      answers: { 200: { what: "Null: nobody is.", json: "Webhook" } },
    },
  },
  "/api/webhook/test": {
    post: {
      id: "testWebhook",
      tag: "Service",
      summary: "Send a message to try the webhook",
      answers: {
        200: { what: "What the receiver said.", json: "Delivery" },
        409: { what: "No webhook is set.", json: "Error" },
        429: { what: "Another test is under way.", json: "Error" },
      },
    },
  },
};

const noReceiver = { ...unknown, what: "There is no such receiver." };

/** The paths of messages: who is told, and of what. */
export const MESSAGE_PATHS: Paths = {
  "/api/receivers": {
    get: {
      id: "listReceivers",
      tag: "Service",
      summary: "Who is told what goes wrong, without secrets",
      answers: { 200: { what: "The oldest first.", json: "Receivers" } },
    },
    post: {
      id: "createReceiver",
      tag: "Service",
      summary: "Add a receiver of messages",
      body: "NewReceiver",
      answers: {
        201: { what: "The receiver.", json: "Receiver", headers: { location: "Its address." } },
        400: badInput,
        409: { what: "There is no room for more.", json: "Error" },
      },
    },
  },
  "/api/receivers/{id}": {
    patch: {
      id: "changeReceiver",
      tag: "Service",
      summary: "Change a receiver; absent fields, such as secrets, stay",
      body: "ReceiverChange",
      answers: { 200: { what: "The receiver.", json: "Receiver" }, 400: badInput, 404: noReceiver },
    },
    delete: {
      id: "deleteReceiver",
      tag: "Service",
      summary: "Delete a receiver",
      answers: { 204: { what: "It gets nothing more." }, 404: noReceiver },
    },
  },
  "/api/receivers/{id}/test": {
    post: {
      id: "testReceiver",
      tag: "Service",
      summary: "Send a message to try a receiver",
      answers: {
        200: { what: "What the receiver said.", json: "Delivery" },
        404: noReceiver,
        429: { what: "Another test is under way.", json: "Error" },
      },
    },
  },
  "/api/incidents": {
    get: {
      id: "listIncidents",
      tag: "Service",
      summary: "What went wrong, of all streams and of the machine",
      query: {
        stream: "Those of this stream only.",
        group: "Those of streams of this group only.",
        kind: "failed, signedOut, disk or certificate.",
        open: "1: those that go on.",
      },
      answers: { 200: { what: "The newest first.", json: "Incidents" } },
    },
  },
};

/** The paths of access tokens, with which apps play without a login. */
export const ACCESS_PATHS: Paths = {
  "/api/access-tokens": {
    get: {
      id: "listAccessTokens",
      tag: "Access",
      summary: "The access tokens, without what they open with",
      answers: { 200: { what: "The oldest first.", json: "AccessTokens" } },
    },
    post: {
      id: "createAccessToken",
      tag: "Access",
      summary: "Make an access token for an app",
      body: "NewAccessToken",
      answers: {
        201: {
          what: "The token and its addresses, this once.",
          json: "CreatedAccessToken",
          headers: { location: "Its address." },
        },
        400: badInput,
        409: { what: "There is no room for more.", json: "Error" },
      },
    },
  },
  "/api/access-tokens/{id}": {
    delete: {
      id: "revokeAccessToken",
      tag: "Access",
      summary: "Revoke an access token",
      answers: {
        204: { what: "Its next request is refused." },
        404: { ...unknown, what: "There is no such token." },
      },
    },
  },
};
