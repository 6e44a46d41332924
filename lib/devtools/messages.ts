/** Messages of the DevTools protocol, and how they are told apart in a browser's pipe: each ends with a NUL. */
import { Buffer } from "node:buffer";

/** What a browser is told. Without a session it is for the browser itself, else for a page. */
export interface Command {
  id: number;
  method: string;
  params?: Record<string, unknown>;
  sessionId?: string;
}

/** What a browser tells: the answer to a command, by its id, or an event, by its method. */
export interface Message {
  id?: number;
  result?: Record<string, unknown>;
  error?: { message: string };
  method?: string;
  params?: Record<string, unknown>;
  sessionId?: string;
}

/** Bytes of one message: a page decides how long its address and title are, but nobody how much we read. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Milliseconds for each answer of a browser. */
export const ANSWER_MS = 10_000;

/** A message, or the beginning of one that is too long. */
export interface Piece {
  text: string;
  isCut: boolean;
}

/** Of a message that is too long so much is kept as names what it answers. */
const BEGINNING = 100;

/** Tells messages apart, however their bytes come; holds at most one. */
export class MessageSplitter {
  #parts: Uint8Array[] = [];
  #size = 0;
  #decoder = new TextDecoder();

  /** The messages that end in these bytes. */
  push(chunk: Uint8Array): Piece[] {
    const pieces: Piece[] = [];
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(0, at);
      this.#take(chunk.subarray(at, end < 0 ? chunk.length : end));
      if (end < 0) break;
      at = end + 1;
      if (this.#size > 0) pieces.push(this.#piece());
    }
    return pieces;
  }

  #take(bytes: Uint8Array): void {
    const wasCut = this.#size > MAX_MESSAGE_BYTES;
    this.#size += bytes.length;
    if (wasCut) return;
    if (this.#size > MAX_MESSAGE_BYTES) {
      this.#parts = [Uint8Array.from(Buffer.concat([...this.#parts, bytes], BEGINNING))];
    } else this.#parts.push(bytes.slice());
  }

  #piece(): Piece {
    const piece = {
      text: this.#decoder.decode(Buffer.concat(this.#parts)),
      isCut: this.#size > MAX_MESSAGE_BYTES,
    };
    this.#parts = [];
    this.#size = 0;
    return piece;
  }
}

/** What a piece of a browser's says; null when that is no message. */
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

/** What a helper says; null when that is no command. */
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
