/** The description of an operation of the API: the parts that differ between operations. */
import type { AnswerName } from "./answers.ts";
import type { BodyName } from "./bodies.ts";

export type Method = "get" | "head" | "options" | "post" | "put" | "patch" | "delete";

export interface Answer {
  what: string;
  /** The schema of a JSON answer. */
  json?: AnswerName;
  /** The media types of any other answer. */
  types?: readonly string[];
  /** Headers for programs, each with its meaning. */
  headers?: Record<string, string>;
}

export interface Operation {
  /** The operation's name in generated clients. */
  id: string;
  tag: "Streams" | "Viewing" | "Walls" | "Nodes" | "Service" | "Access";
  summary: string;
  description?: string;
  /** Query parameters, each with its meaning. */
  query?: Record<string, string>;
  body?: BodyName;
  /** The answers by status. Any other status has an `Error`. */
  answers: Record<number, Answer>;
}

/** The operations by path, as the document writes paths: `{id}` for `[id]`. */
export type Paths = Record<string, Partial<Record<Method, Operation>>>;

/** The answers of more than one operation. */
export const ERRORS = {
  badInput: { what: "Bad input; `fields` says what is wrong with which field.", json: "Error" },
  unknown: { what: "There is no such stream.", json: "Error" },
  conflict: { what: "Somebody was faster; the state there is comes with it.", json: "Conflict" },
  away: { what: "The supervisor or a program did not do as told, or too much waits.", json: "Error" },
} as const satisfies Record<string, Answer>;

/** The query of operations that may start a stream. */
export const FORCE = { force: "true: start although the machine can probably not carry it." };

/** The query of operations that may start one stream. */
export const FORCE_OR_WAIT = {
  ...FORCE,
  wait: "true: without room it stays stopped, and starts by itself when there is room.",
};

/** The query of the channel lists for apps. */
export const CHOSEN_CHANNELS = {
  group: "Channels of this group only: its own name, or as a list shows it.",
  running: "1: without the stopped ones.",
  format: "ts: the addresses of MPEG transport streams instead of HLS.",
};

export const THUMBNAIL_QUERY = {
  at:
    "Its time, `thumbAt` of the status: while it is this thumbnail, a client may keep the answer for 5 minutes.",
  logo: "Any value: where there is no thumbnail, a JPEG that says so. Apps show no SVG.",
};

export const NO_ROOM = {
  409: { what: "The machine has no room for it: `capacity` says why.", json: "Conflict" },
} as const satisfies Record<number, Answer>;

export const VERSION_OF_LIST = { "streams-version": "Another one when the list is another." };
