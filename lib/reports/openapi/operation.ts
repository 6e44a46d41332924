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
  201: { what, json, headers: { location: "The new thing's address." } },
});

/** A status with another meaning than success, and its JSON. */
export const refusal = (status: number, what: string, json: AnswerName = "Error"): Answers => ({
  [status]: { what, json },
});

/** A 404 for a thing that does not exist. */
export const missing = (noun: string): Answers => refusal(404, `There is no such ${noun}.`);

export const BAD_INPUT = refusal(400, "The input is not valid. `fields` has the problem of each field.");
export const CONFLICT = refusal(
  409,
  "Another change came first. The answer has the present state.",
  "Conflict",
);
export const NO_ROOM = refusal(
  409,
  "The machine has no room for the stream. `capacity` says why.",
  "Conflict",
);
export const FULL = refusal(409, "There is no room for another one.");
export const AWAY = refusal(
  503,
  "The supervisor or a program did not carry out the order, or too many orders wait.",
);
export const UNCHANGED: Answers = { 304: { what: "The client's copy of `If-None-Match` is still right." } };

/** The query of operations that may start a stream. */
export const FORCE = { force: "true: the stream starts although the machine can probably not carry it." };

/** The query of operations that may start one stream. */
export const FORCE_OR_WAIT = {
  ...FORCE,
  wait: "true: without room the stream stays stopped, and it starts by itself when there is room.",
};

/** The query of the channel lists for apps. */
export const CHOSEN_CHANNELS = {
  group: "Only channels of this group, written as the streams have it or as the list shows it.",
  running: "1: only channels that are not stopped.",
  format: "ts: the list has the addresses of MPEG transport streams instead of HLS.",
};

export const VERSION_OF_LIST = {
  "streams-version": "The version of the stream list. It changes whenever the list changes.",
};
