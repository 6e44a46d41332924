import {
  AWAY,
  BAD_INPUT,
  bytes,
  FULL,
  missing,
  ok,
  type Operation,
  operationsOf,
  type Paths,
  refusal,
  UNCHANGED,
} from "./operation.ts";

const past = operationsOf("Viewing");

const FORBIDDEN = refusal(403, "The channel's past is for operators and admins alone.");
const NOTHING = refusal(404, "There is no such stream, or nothing of that time is kept.");

const RANGE = {
  start: "RFC 3339 or Unix seconds; by default a day before `end`, and at most 7 days before it.",
  end: "By default now.",
};

const SPEED = "How many times as fast as it was: 1 (by default), 10 or 60.";

/** An address whose answer ffmpeg makes. */
const made = (
  id: string,
  summary: string,
  type: string,
  query: Record<string, string>,
  headers: Record<string, string> = {},
): Operation =>
  past(id, summary, [
    { 200: { what: "It.", types: [type], headers: { etag: "The tag for `If-None-Match`.", ...headers } } },
    UNCHANGED,
    BAD_INPUT,
    FORBIDDEN,
    NOTHING,
    AWAY,
  ], { query });

/** The paths of channels' past: an operator's, unless the stream says that viewers may see it. */
export const PAST_PATHS: Paths = {
  "/api/streams/{id}/rewind": {
    get: past("getPast", "The times of which the channel's past is kept", [
      ok("The spans, the oldest first. Between them is nothing, or the picture's size changes.", "PastSpans"),
      BAD_INPUT,
      FORBIDDEN,
      missing("stream"),
    ], { query: RANGE }),
  },
  "/api/streams/{id}/rewind/changes": {
    get: past("getPastChanges", "How much of the picture changed when, with the stream's events", [
      ok("The slots in which something changed or happened, and the gaps.", "PastChanges"),
      BAD_INPUT,
      FORBIDDEN,
      missing("stream"),
    ], { query: { ...RANGE, scale: "Seconds of a slot, by default 60. An answer has at most 1440 slots." } }),
  },
  "/api/streams/{id}/rewind/picture.jpg": {
    get: made("getPastPicture", "What was shown at a second", "image/jpeg", {
      at: "RFC 3339 or Unix seconds.",
    }, { "memento-datetime": "Since when it was shown (RFC 7089)." }),
  },
  "/api/streams/{id}/rewind/small.jpg": {
    get: made(
      "getPastSheet",
      "A sheet of 12 x 12 pictures, each of 160x90 pixels, row after row",
      "image/jpeg",
      {
        start: "The time of the first picture: RFC 3339 or Unix seconds.",
        step: "Seconds from a picture to the next one, 1 to 3600.",
      },
    ),
  },
  "/api/streams/{id}/rewind/index.m3u8": {
    get: past("getPastList", "A part of the past as an HLS playlist (VOD)", [
      bytes("The playlist. Its addresses are relative.", "application/vnd.apple.mpegurl"),
      BAD_INPUT,
      FORBIDDEN,
      NOTHING,
    ], {
      query: {
        start: "RFC 3339 or Unix seconds.",
        offset: "In place of `start`: seconds before now; `60m` are minutes, and `1h` is an hour.",
        duration: "Seconds, at most and by default 7200; `60m` are minutes, and `1h` is an hour.",
        end: "In place of `duration`: RFC 3339 or Unix seconds. The list has the first two hours until then.",
        speed: SPEED,
      },
    }),
  },
  "/api/streams/{id}/rewind/exports": {
    get: past("getPastExports", "The films of the past that people have had made", [
      ok("The films, the newest first.", "PastExports"),
      FORBIDDEN,
      missing("stream"),
    ]),
    post: past("addPastExport", "Have a film of the past made, as an MP4", [
      { 202: { what: "The film, which is being made.", json: "PastExport" } },
      BAD_INPUT,
      FORBIDDEN,
      NOTHING,
      FULL,
      refusal(507, "Exports take their part of the past's budget."),
    ], { body: "NewPastExport" }),
  },
  "/api/streams/{id}/rewind/exports/{film}": {
    get: past("getPastExport", "A film, as a download", [
      bytes("The film.", "video/mp4"),
      FORBIDDEN,
      NOTHING,
    ]),
    delete: past("deletePastExport", "Delete a film", [
      { 204: { what: "It is deleted." } },
      FORBIDDEN,
      NOTHING,
    ]),
  },
  "/api/streams/{id}/rewind/segment.ts": {
    get: made("getPastSegment", "A segment of such a playlist", "video/mp2t", {
      start: "RFC 3339 or Unix seconds.",
      duration: "Seconds, 1 to 60, 100 or 600, as the speed is 1, 10 or 60.",
      from: "The time at which timestamps are 0, at most two hours before; by default `start`.",
      speed: SPEED,
    }),
  },
};
