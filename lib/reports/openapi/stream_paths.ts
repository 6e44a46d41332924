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
  const answers = [ok("The stream's state after the command.", "Status"), noStream, AWAY, ...refusals];
  return stream(`${word}Stream`, summary, answers, { query });
}

const snapshot = (id: string, type: string, summary: string) =>
  stream(id, summary, [
    { 200: { what: "The picture.", types: [type], headers: { etag: "The tag for `If-None-Match`." } } },
    UNCHANGED,
    noStream,
    notRunning,
    AWAY,
  ], { description: "The picture is at most a second old. The client is a viewer of the stream, too." });

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
        description: "Absent fields get their default. An absent secret stays.",
        query: FORCE,
        body: "WholeStream",
      },
    ),
    patch: stream(
      "changeStream",
      "Change some of a stream's settings",
      [theStream, BAD_INPUT, noStream, CONFLICT, AWAY],
      { description: "Only the programs that need the change restart.", query: FORCE, body: "StreamChange" },
    ),
    delete: stream("deleteStream", "Stop a stream and remove all its data", [
      { 204: { what: "The stream is removed." } },
      noStream,
      AWAY,
    ]),
  },
  "/api/streams/{id}/start": {
    post: command("start", "Start a stream, or its programs that are down", [NO_ROOM, BAD_INPUT], {
      ...FORCE_OR_WAIT,
      minutes: "1 to 10080: the stream is on the air for so many minutes, although its plan has it off.",
      until: "next: the stream is on the air until the next time of its plan begins.",
    }),
  },
  "/api/streams/{id}/stop": {
    post: command("stop", "Stop a stream", [BAD_INPUT], {
      until: "next: the stream is off the air only until the next time of its plan begins.",
    }),
  },
  "/api/streams/{id}/restart": { post: command("restart", "Stop and start a stream", [NO_ROOM], FORCE) },
  "/api/streams/{id}/recreate": {
    post: stream("recreateStream", "Start again with an empty browser profile", [
      { 202: { what: "The work has begun.", json: "Status" } },
      noStream,
      AWAY,
    ], { description: "`recreate` of the stream's status tells the progress." }),
  },
  "/api/streams/{id}/home": {
    post: command("home", "Bring the stream's own page back, and close other windows", [notRunning]),
  },
  "/api/streams/{id}/autoreload": {
    post: stream(
      "setAutoReload",
      "Set how often the page reloads, while the channel goes on",
      [theStream, BAD_INPUT, noStream, AWAY],
      { body: "AutoReload" },
    ),
  },
  "/api/streams/{id}/snapshot.jpg": {
    get: snapshot("getSnapshot", "image/jpeg", "What the stream shows now, in its full size"),
  },
  "/api/streams/{id}/snapshot.png": {
    get: snapshot(
      "getSnapshotPng",
      "image/png",
      "What the stream shows now, in its full size and without loss",
    ),
  },
  "/api/streams/{id}/mjpeg": {
    get: motion("getPictures", "What the stream shows, as one JPEG after the other (MJPEG)"),
    head: motion("headPictures", "The headers of these pictures, at once"),
  },
  "/api/streams/{id}/thumb": {
    get: stream("getThumbnail", "The stream's thumbnail", [
      { 200: { what: "A JPEG.", types: ["image/jpeg"], headers: { etag: "The tag of this thumbnail." } } },
      {
        202: {
          what: "There is no thumbnail yet. The image says so.",
          types: ["image/svg+xml"],
          headers: { "retry-after": "Seconds until a new request makes sense." },
        },
      },
      UNCHANGED,
      {
        404: {
          what: "There is no such stream, or there is no thumbnail and the image says so.",
          types: ["application/json", "image/svg+xml"],
        },
      },
    ], {
      query: {
        at:
          "The thumbnail's time, `thumbAt` of the status. While that is the time of the present thumbnail, a client may keep the answer for 5 minutes.",
        logo: "Any value: a JPEG stands for a missing thumbnail, since apps show no SVG.",
      },
    }),
    post: stream("captureThumbnail", "Capture a new thumbnail", [
      {
        202: {
          what: "The capture has begun. The answer has the time of the thumbnail before.",
          json: "ThumbnailTime",
        },
      },
      noStream,
      refusal(409, "The stream does not show its page."),
    ]),
  },
  "/api/streams/{id}/vnc": {
    get: stream("getVncToken", "The token of the stream's display, for pages of the service", [
      ok("The token.", "VncToken"),
      refusal(403, "The request does not come from a page of the service."),
      noStream,
      refusal(503, "The stream has no token yet."),
    ], { description: "The request needs the header `X-Requested-With: browser-stream`." }),
  },
  "/api/streams/{id}/events": {
    get: stream(
      "getStreamEvents",
      "The events of the stream, the oldest first",
      [ok("The events.", "Events"), BAD_INPUT, noStream],
      {
        query: {
          after:
            "The `next` of the answer before. The answer has the events since then, and the last event again if only its count has changed.",
        },
      },
    ),
  },
  "/api/streams/{id}/heartbeats": {
    get: stream("getStreamHeartbeats", "The stream's last 24 hours and last 30 days", [
      ok("The day in slots of 15 minutes, and the month in slots of 8 hours.", "StreamHeartbeats"),
      noStream,
    ]),
  },
  "/api/streams/{id}/log": {
    get: stream("getLogs", "The names and sizes of the stream's logs", [ok("The logs.", "Logs"), noStream]),
  },
  "/api/streams/{id}/log/{program}": {
    get: stream("getLog", "The end of a program's log", [
      {
        200: {
          what: "A part of the log. With `download`, the whole log.",
          json: "LogPart",
          types: ["text/plain"],
        },
      },
      BAD_INPUT,
      refusal(404, "There is no such stream, program or log."),
    ], {
      query: {
        after: "The `next` of the answer before. The answer has the text since then.",
        download: "Any value: the answer is the whole log, as a file.",
      },
    }),
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
        description: "The stream starts unless `desiredState` is `stopped`.",
        query: FORCE_OR_WAIT,
        body: "NewStream",
      },
    ),
    delete: stream("deleteStreams", "Delete several streams with all their data", [
      ok("The deleted streams, and the problem of each other one.", "Deleted"),
      BAD_INPUT,
    ], {
      description:
        "One request takes less time than one for each stream. A stream that does not exist is among the deleted ones.",
      query: { ids: "1 to 100 ids, with commas between them." },
    }),
  },
  "/api/streams/try": {
    post: stream("tryPage", "Open a page for some seconds without a stream of it", [
      ok("The page's title, picture and problems.", "TriedPage"),
      BAD_INPUT,
      refusal(404, "The edited stream does not exist."),
      refusal(409, "Another page is being tried, or a newer request of this client came."),
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
    get: stream("listStatuses", "The statuses of all streams, by id", [
      ok("The statuses, up to 3 s old.", "Statuses", VERSION_OF_LIST),
      noStream,
      AWAY,
    ], {
      description: "`/api/events` tells each change without another request.",
      query: { id: "Only the status of this stream." },
    }),
  },
  "/api/streams/heartbeats": {
    get: stream("listHeartbeats", "The last 24 hours of all streams", [
      ok("The heartbeats, in slots of 15 minutes.", "Heartbeats"),
    ]),
  },
  "/api/streams/export": {
    get: stream("exportStreams", "The streams and the walls as a file, without secrets", [
      ok("The streams, and the walls.", "Exported"),
    ]),
  },
  "/api/streams/import": {
    post: stream("importStreams", "Take over the streams and walls of a file", [
      ok("The changes of the import, or of its preview.", "Imported"),
      BAD_INPUT,
      refusal(
        409,
        "One of the streams is being deleted, or the machine has no room. `capacity` says why.",
        "Conflict",
      ),
    ], {
      query: { preview: "Any value: the answer has the changes, and nothing is changed.", ...FORCE },
      body: "StreamList",
    }),
  },
  "/api/streams/playlist": {
    get: operationsOf("Viewing")("getPlaylist", "All channels for IPTV apps", [
      bytes("An M3U playlist.", "audio/x-mpegurl"),
      BAD_INPUT,
    ], { query: CHOSEN_CHANNELS }),
  },
};
