/** How an operation of the API is said: as much as differs between them. */
import type { AnswerName } from "./answers.ts";
import type { BodyName } from "./bodies.ts";

export type Method = "get" | "head" | "options" | "post" | "put" | "patch" | "delete";

export interface Answer {
  what: string;
  /** Its schema, for JSON. */
  json?: AnswerName;
  /** Its media types, for anything else. */
  types?: readonly string[];
  /** Headers that mean something to a program, with what they do. */
  headers?: Record<string, string>;
}

export interface Operation {
  /** Names it for generated clients. */
  id: string;
  tag: "Streams" | "Viewing" | "Walls" | "Service" | "Access";
  summary: string;
  description?: string;
  /** Query parameters, with what they do. */
  query?: Record<string, string>;
  body?: BodyName;
  /** By status. Any other is an error, as `Error` says. */
  answers: Record<number, Answer>;
}

/** By path, as the document writes it: `{id}` for `[id]`. */
export type Paths = Record<string, Partial<Record<Method, Operation>>>;

/** What more than one operation answers. */
export const ERRORS = {
  badInput: { what: "Bad input; `fields` says what is wrong with which field.", json: "Error" },
  unknown: { what: "There is no such stream.", json: "Error" },
  conflict: { what: "Somebody was faster; the state there is comes with it.", json: "Conflict" },
  away: { what: "The supervisor or a program did not do as told, or too much waits.", json: "Error" },
} as const satisfies Record<string, Answer>;

/** The query of whatever may start a stream. */
export const FORCE = { force: "true: start although the machine can probably not carry it." };

/** The query of the channel lists for apps. */
export const CHOSEN_CHANNELS = {
  group: "Channels of this group only.",
  running: "1: without the stopped ones.",
  format: "ts: the addresses of MPEG transport streams instead of HLS.",
};

export const LOGO = {
  logo: "Any value: where there is no thumbnail, a JPEG that says so. Apps show no SVG.",
};

export const NO_ROOM = {
  409: { what: "The machine has no room for it: `capacity` says why.", json: "Conflict" },
} as const satisfies Record<number, Answer>;

export const VERSION_OF_LIST = { "streams-version": "Another one when the list is another." };
