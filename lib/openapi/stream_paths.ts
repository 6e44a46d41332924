import {
  CHOSEN_CHANNELS,
  ERRORS,
  FORCE,
  FORCE_OR_WAIT,
  NO_ROOM,
  type Operation,
  type Paths,
  THUMBNAIL_QUERY,
  VERSION_OF_LIST,
} from "./operation.ts";

const { badInput, unknown, conflict, away } = ERRORS;

/** A POST without a body; the answer is the stream's status afterwards. */
function command(word: string, summary: string, more: Operation["answers"] = {}): Operation {
  const answers = {
    200: { what: "How the stream is then.", json: "Status" },
    404: unknown,
    503: away,
    ...more,
  };
  return { id: `${word}Stream`, tag: "Streams", summary, answers: answers as Operation["answers"] };
}

const snapshot = {
  tag: "Streams",
  summary: "What the stream shows now, in its full size",
  description: "At most a second old. Whoever asks counts as somebody who watches.",
} as const;

const snapshotAnswers = (type: string): Operation["answers"] => ({
  200: { what: "The picture.", types: [type], headers: { etag: "For `If-None-Match`." } },
  304: { what: "Still the one of `If-None-Match`." },
  404: unknown,
  409: { what: "The stream does not run.", json: "Error" },
  503: away,
});

const motion = {
  tag: "Streams",
  summary: "What the stream shows as JPEGs that go on (MJPEG)",
  query: { fps: "Pictures a second: 1 to 5, by default 2." },
  answers: {
    200: { what: "The pictures, as long as the channel is on.", types: ["multipart/x-mixed-replace"] },
    400: badInput,
    404: { what: "There is no such stream, or its channel is off.", json: "Error" },
    503: { what: "There are too many viewers.", json: "Error" },
  },
} as const satisfies Omit<Operation, "id">;

/** The paths of one stream. */
export const STREAM_PATHS: Paths = {
  "/api/streams/{id}": {
    get: {
      id: "getStream",
      tag: "Streams",
      summary: "One stream",
      answers: { 200: { what: "The stream.", json: "Stream" }, 404: unknown },
    },
    put: {
      id: "replaceStream",
      tag: "Streams",
      summary: "Replace a stream's settings",
      description: "Absent fields get their default; an absent password stays.",
      query: FORCE,
      body: "WholeStream",
      answers: {
        200: { what: "The stream.", json: "Stream" },
        400: badInput,
        404: unknown,
        409: conflict,
        503: away,
      },
    },
    patch: {
      id: "changeStream",
      tag: "Streams",
      summary: "Change some of a stream's settings",
      description: "Only the programs that need it restart.",
      query: FORCE,
      body: "StreamChange",
      answers: {
        200: { what: "The stream.", json: "Stream" },
        400: badInput,
        404: unknown,
        409: conflict,
        503: away,
      },
    },
    delete: {
      id: "deleteStream",
      tag: "Streams",
      summary: "Stop a stream and remove all there is of it",
      answers: { 204: { what: "It is gone." }, 404: unknown, 503: away },
    },
  },
  "/api/streams/{id}/start": {
    post: {
      ...command("start", "Start what is down", { ...NO_ROOM, 400: badInput }),
      query: {
        ...FORCE_OR_WAIT,
        minutes: "1 to 10080: have a planned stream on the air for so long, whatever its plan has.",
        until: "next: the same until the next time of its plan begins.",
      },
    },
  },
  "/api/streams/{id}/stop": {
    post: {
      ...command("stop", "Stop a stream", { 400: badInput }),
      query: { until: "next: only until the next time of its plan begins." },
    },
  },
  "/api/streams/{id}/restart": {
    post: { ...command("restart", "Stop and start a stream", NO_ROOM), query: FORCE },
  },
  "/api/streams/{id}/recreate": {
    post: {
      id: "recreateStream",
      tag: "Streams",
      summary: "Start again with an empty browser profile",
      description: "The stream's state tells how far it is.",
      answers: { 202: { what: "It has begun.", json: "Status" }, 404: unknown, 503: away },
    },
  },
  "/api/streams/{id}/home": {
    post: command("home", "Bring the stream's own page back, and close other windows", {
      409: { what: "The stream does not run.", json: "Error" },
    }),
  },
  "/api/streams/{id}/autoreload": {
    post: {
      id: "setAutoReload",
      tag: "Streams",
      summary: "Set how often the page is reloaded; the channel goes on",
      body: "AutoReload",
      answers: { 200: { what: "The stream.", json: "Stream" }, 400: badInput, 404: unknown, 503: away },
    },
  },
  "/api/streams/{id}/snapshot.jpg": {
    get: { ...snapshot, id: "getSnapshot", answers: snapshotAnswers("image/jpeg") },
  },
  "/api/streams/{id}/snapshot.png": {
    get: {
      ...snapshot,
      id: "getSnapshotPng",
      summary: "The same without loss",
      answers: snapshotAnswers("image/png"),
    },
  },
  "/api/streams/{id}/mjpeg": {
    get: { ...motion, id: "getPictures" },
    head: { ...motion, id: "headPictures", summary: "Its headers, at once" },
  },
  "/api/streams/{id}/thumb": {
    get: {
      id: "getThumbnail",
      tag: "Streams",
      summary: "The stream's thumbnail",
      query: THUMBNAIL_QUERY,
      answers: {
        200: { what: "A JPEG.", types: ["image/jpeg"], headers: { etag: "Of this thumbnail." } },
        202: {
          what: "There is none yet; an image that says so.",
          types: ["image/svg+xml"],
          headers: { "retry-after": "Seconds." },
        },
        304: { what: "Still the one of `If-None-Match`." },
        404: {
          what: "No such stream; or an image that says that there is none.",
          types: ["application/json", "image/svg+xml"],
        },
      },
    },
    post: {
      id: "captureThumbnail",
      tag: "Streams",
      summary: "Capture a new thumbnail",
      answers: {
        202: { what: "It is being captured; the time of the one before.", json: "ThumbnailTime" },
        404: unknown,
        409: { what: "The stream does not show its page.", json: "Error" },
      },
    },
  },
  "/api/streams/{id}/vnc": {
    get: {
      id: "getVncToken",
      tag: "Streams",
      summary: "The token of the stream's display, for pages of the service",
      description: "Needs the header `X-Requested-With: browser-stream`.",
      answers: {
        200: { what: "The token.", json: "VncToken" },
        403: { what: "Not asked by a page of the service.", json: "Error" },
        404: unknown,
        503: { what: "There is none yet.", json: "Error" },
      },
    },
  },
  "/api/streams/{id}/events": {
    get: {
      id: "getStreamEvents",
      tag: "Streams",
      summary: "What happened to the stream, the oldest first",
      query: {
        after:
          "The `next` of the answer before: what came since, and the last event again if it was only counted.",
      },
      answers: { 200: { what: "The events.", json: "Events" }, 400: badInput, 404: unknown },
    },
  },
  "/api/streams/{id}/heartbeats": {
    get: {
      id: "getStreamHeartbeats",
      tag: "Streams",
      summary: "The stream's last 24 hours and last 30 days",
      answers: {
        200: { what: "In slots of 15 minutes, and of 8 hours.", json: "StreamHeartbeats" },
        404: unknown,
      },
    },
  },
  "/api/streams/{id}/log": {
    get: {
      id: "getLogs",
      tag: "Streams",
      summary: "Which logs there are",
      answers: { 200: { what: "The logs.", json: "Logs" }, 404: unknown },
    },
  },
  "/api/streams/{id}/log/{program}": {
    get: {
      id: "getLog",
      tag: "Streams",
      summary: "The end of a program's log",
      query: { after: "The `next` of the answer before.", download: "The whole log, as a file." },
      answers: {
        200: {
          what: "A part of the log; with `download`, all of it.",
          json: "LogPart",
          types: ["text/plain"],
        },
        400: badInput,
        404: { what: "There is no such stream, program or log.", json: "Error" },
      },
    },
  },
};

/** The paths of all streams together. */
export const LIST_PATHS: Paths = {
  "/api/streams": {
    get: {
      id: "listStreams",
      tag: "Streams",
      summary: "All streams in card order",
      answers: { 200: { what: "The streams.", json: "Streams", headers: VERSION_OF_LIST } },
    },
    post: {
      id: "createStream",
      tag: "Streams",
      summary: "Add a stream",
      description: "It is started unless `desiredState` is `stopped`.",
      query: FORCE_OR_WAIT,
      body: "NewStream",
      answers: {
        201: { what: "The stream.", json: "Stream", headers: { location: "Its address." } },
        400: badInput,
        ...NO_ROOM,
        503: away,
      },
    },
    delete: {
      id: "deleteStreams",
      tag: "Streams",
      summary: "Delete several streams with all their data",
      description: "Sooner than one by one. One that is not there counts as deleted.",
      query: { ids: "1 to 100 ids, with commas between them." },
      answers: {
        200: { what: "Which are deleted, and why others are not.", json: "Deleted" },
        400: badInput,
      },
    },
  },
  "/api/streams/try": {
    post: {
      id: "tryPage",
      tag: "Streams",
      summary: "Open a page that is no stream, for some seconds",
      body: "PageToTry",
      answers: {
        200: { what: "What the page is like.", json: "TriedPage" },
        400: badInput,
        404: { what: "The stream that is edited does not exist.", json: "Error" },
        409: { what: "Another page is being tried, or something newer.", json: "Error" },
        503: away,
      },
    },
  },
  "/api/streams/reorder": {
    put: {
      id: "reorderStreams",
      tag: "Streams",
      summary: "Set the order of the cards",
      body: "NewOrder",
      answers: { 200: { what: "The order.", json: "Order" }, 400: badInput, 409: conflict },
    },
  },
  "/api/streams/statuses": {
    get: {
      id: "listStatuses",
      tag: "Streams",
      summary: "How all streams are, by id",
      description: "`/api/events` tells what changes, without being asked again.",
      query: { id: "Of this stream only." },
      answers: {
        200: { what: "Up to 3 s old.", json: "Statuses", headers: VERSION_OF_LIST },
        404: unknown,
        503: away,
      },
    },
  },
  "/api/streams/heartbeats": {
    get: {
      id: "listHeartbeats",
      tag: "Streams",
      summary: "The last 24 hours of all streams",
      answers: { 200: { what: "In slots of 15 minutes.", json: "Heartbeats" } },
    },
  },
  "/api/streams/export": {
    get: {
      id: "exportStreams",
      tag: "Streams",
      summary: "The streams and the walls as a file, without secrets",
      answers: { 200: { what: "The streams, and the walls.", json: "Exported" } },
    },
  },
  "/api/streams/import": {
    post: {
      id: "importStreams",
      tag: "Streams",
      summary: "Take over a list of streams, and the walls beside it",
      query: { preview: "Only tells what would change.", ...FORCE },
      body: "StreamList",
      answers: {
        200: { what: "What was, or would be, done.", json: "Imported" },
        400: badInput,
        409: {
          what: "One of the streams is being deleted, or there is no room: `capacity` says why.",
          json: "Conflict",
        },
      },
    },
  },
  "/api/streams/playlist": {
    get: {
      id: "getPlaylist",
      tag: "Viewing",
      summary: "All channels for IPTV apps",
      query: CHOSEN_CHANNELS,
      answers: { 200: { what: "An M3U playlist.", types: ["audio/x-mpegurl"] }, 400: badInput },
    },
  },
};
