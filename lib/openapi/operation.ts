/** The description of an operation of the API, and short ways to write its answers. */
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

type Answers = Record<number, Answer>;

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
  answers: Answers;
}

/** The operations by path, as the document writes paths: `{id}` for `[id]`. */
export type Paths = Record<string, Partial<Record<Method, Operation>>>;

type More = Pick<Operation, "description" | "query" | "body">;

/** A short way to write the operations of a tag: id, summary, answers, and whatever else there is. */
export function operationsOf(tag: Operation["tag"]) {
  return (id: string, summary: string, answers: Answers[], more: More = {}): Operation => ({
    id,
    tag,
    summary,
    ...more,
    answers: Object.assign({}, ...answers),
  });
}

/** A 200 with JSON. */
export const ok = (what: string, json: AnswerName, headers?: Record<string, string>): Answers => ({
  200: { what, json, headers },
});

/** A 200 that is no JSON. */
export const bytes = (what: string, ...types: string[]): Answers => ({ 200: { what, types } });

/** A 201 with the new thing. */
export const created = (what: string, json: AnswerName): Answers => ({
  201: { what, json, headers: { location: "Its address." } },
});

/** A status with another meaning than success, and its JSON. */
export const refusal = (status: number, what: string, json: AnswerName = "Error"): Answers => ({
  [status]: { what, json },
});

/** A 404 for a thing that does not exist. */
export const missing = (noun: string): Answers => refusal(404, `There is no such ${noun}.`);

export const BAD_INPUT = refusal(400, "Bad input; `fields` says what is wrong with which field.");
export const CONFLICT = refusal(409, "Somebody was faster; the state there is comes with it.", "Conflict");
export const NO_ROOM = refusal(409, "The machine has no room for it: `capacity` says why.", "Conflict");
export const FULL = refusal(409, "There is no room for more.");
export const AWAY = refusal(503, "The supervisor or a program did not do as told, or too much waits.");
export const UNCHANGED: Answers = { 304: { what: "Still the one of `If-None-Match`." } };

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

export const VERSION_OF_LIST = { "streams-version": "Another one when the list is another." };
