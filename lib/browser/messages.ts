/** Messages of the DevTools protocol, and their ends in a browser's pipe: each message ends with a NUL. */
import { GatheredText } from "../machine/tools/gathered_text.ts";

/** A message to a browser. Without a session the command is for the browser itself, else for a page. */
export interface Command {
  id: number;
  method: string;
  params?: Record<string, unknown>;
  sessionId?: string;
}

/** A message from a browser: the answer to a command, by its id, or an event, by its method. */
export interface Message {
  id?: number;
  result?: Record<string, unknown>;
  error?: { message: string };
  method?: string;
  params?: Record<string, unknown>;
  sessionId?: string;
}

/** Most bytes of one message: a page decides the length of its address and title, but not how much we read. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Milliseconds for each answer of a browser. */
export const ANSWER_MS = 10_000;

/** A message, or the beginning of a message that is too long. */
export interface Piece {
  text: string;
  isCut: boolean;
}

/** Bytes kept of a message that is too long: they contain the id of the answered command. */
const BEGINNING = 100;

/** Tells messages apart, however their bytes come; holds at most one message. */
export class MessageSplitter {
  #message = new GatheredText();
  /** Bytes of the message so far; those over the limit are not kept. */
  #size = 0;

  /** The messages that end in these bytes, one by one, so that the caller can do other work in between. */
  *push(chunk: Uint8Array): Generator<Piece> {
    for (let at = 0; at < chunk.length; at++) {
      if (this.#size === 0 && chunk[at] === 0) continue; // a NUL without a message
      const next = chunk.indexOf(0, at);
      const end = next < 0 ? chunk.length : next;
      this.#take(chunk.subarray(at, end));
      at = end;
      if (next >= 0) yield this.#piece();
    }
  }

  #take(bytes: Uint8Array): void {
    this.#message.add(bytes.subarray(0, MAX_MESSAGE_BYTES - this.#message.size));
    this.#size += bytes.length;
  }

  #piece(): Piece {
    const isCut = this.#size > MAX_MESSAGE_BYTES;
    this.#size = 0;
    return { text: this.#message.end(isCut ? BEGINNING : MAX_MESSAGE_BYTES), isCut };
  }
}

/** The message of a browser in a piece; null: the piece is no message. */
export function parseMessage({ text, isCut }: Piece): Message | null {
  if (isCut) {
    const id = /^\{"id":(\d{1,15}),/.exec(text)?.[1];
    return id === undefined
      ? null
      : { id: Number(id), error: { message: "the browser answered more than 1 MB" } };
  }
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) ? message as Message : null;
  } catch {
    return null;
  }
}

/** The command in a helper's text; null: the text is no command. */
export function parseCommand(text: string): Command | null {
  try {
    const { id, method, params, sessionId } = Object(JSON.parse(text));
    const isCommand = Number.isSafeInteger(id) && typeof method === "string" &&
      (params === undefined || isObject(params)) &&
      (sessionId === undefined || typeof sessionId === "string");
    return isCommand ? { id, method, params, sessionId } : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
