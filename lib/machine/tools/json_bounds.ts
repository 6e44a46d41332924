/**
 * Counts what JSON text will be made of, before it is parsed: JSON.parse of 700,000 keys takes half a second, in which
 * nobody else is answered. It also sees fields that come twice: JSON.parse takes the last one, what stands before the
 * service may have judged the first.
 */
import { Buffer } from "node:buffer";

export interface JsonLimits {
  /** Objects and lists in each other. */
  depth: number;
  /** Members of one object, and all values together. */
  members: number;
  values: number;
  /** Bytes of one text: a rule may read each of its characters some times. */
  text: number;
}

/** Names may be written with escapes, and any part of a text may be a byte order mark. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const QUOTE = 0x22, COMMA = 0x2c, BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b, CLOSE_LIST = 0x5d, OPEN_OBJECT = 0x7b, CLOSE_OBJECT = 0x7d;

/** Takes the text's bytes however they are cut. That it is JSON is the parser's to say. */
export class JsonBounds {
  #limits: JsonLimits;
  #isInString = false;
  #isEscaped = false;
  #textBytes = 0;
  #values = 1;
  /** For each object or list that is open: the members so far, negative for a list's. */
  #open: number[] = [];
  /** For each of them: the names of its fields so far. */
  #names: Set<string>[] = [];
  /** The bytes so far of a field's name; null: the next text is not a name. */
  #name: Uint8Array[] | null = null;
  #repeated: string | null = null;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** The first field that an object has twice; null: there is none so far. */
  get repeated(): string | null {
    return this.#repeated;
  }

  /** The exceeded limit in words, or null. After a limit the rest need not be pushed. */
  push(bytes: Uint8Array): string | null {
    for (let at = 0; at < bytes.length; at++) {
      if (this.#isInString) {
        const start = at;
        at = this.#endOfString(bytes, start);
        this.#textBytes += at - start;
        this.#name?.push(bytes.subarray(start, at));
        if (this.#textBytes > this.#limits.text) return `has a text of more than ${this.#limits.text} bytes`;
        if (!this.#isInString) this.#endName();
        continue;
      }
      const problem = this.#count(bytes[at]);
      if (problem) return problem;
    }
    return null;
  }

  /** Where the string's last byte is, or the end of `bytes`. */
  #endOfString(bytes: Uint8Array, at: number): number {
    for (; at < bytes.length; at++) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (bytes[at] === BACKSLASH) this.#isEscaped = true;
      else if (bytes[at] === QUOTE) {
        this.#isInString = false;
        break;
      }
    }
    return at;
  }

  #endName(): void {
    if (this.#name === null) return;
    const name = nameOf(this.#name);
    const names = this.#names.at(-1)!;
    if (names.has(name)) this.#repeated ??= name;
    names.add(name);
    this.#name = null;
  }

  #count(byte: number): string | null {
    const open = this.#open;
    switch (byte) {
      case QUOTE:
        this.#isInString = true;
        this.#textBytes = 0;
        return null;
      case OPEN_LIST:
      case OPEN_OBJECT:
        open.push(byte === OPEN_LIST ? -1 : 1);
        this.#names.push(new Set());
        this.#name = byte === OPEN_OBJECT ? [] : null;
        if (open.length > this.#limits.depth) return `is nested deeper than ${this.#limits.depth} levels`;
        return this.#more();
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        open.pop();
        this.#names.pop();
        this.#name = null;
        return null;
      case COMMA: {
        const last = open.length - 1;
        this.#name = open[last] > 0 ? [] : null;
        if (open[last] > 0 && ++open[last] > this.#limits.members) {
          return `has an object of more than ${this.#limits.members} fields`;
        }
        return this.#more();
      }
    }
    return null;
  }

  #more(): string | null {
    return ++this.#values > this.#limits.values ? `has more than ${this.#limits.values} values` : null;
  }
}

function nameOf(parts: readonly Uint8Array[]): string {
  const text = parts.length === 1 ? decoder.decode(parts[0]) : decoder.decode(Buffer.concat(parts));
  if (!text.includes("\\")) return text;
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text; // the parser will say so
  }
}

const NO_LIMITS: JsonLimits = { depth: Infinity, members: Infinity, values: Infinity, text: Infinity };

/** The first field that an object of a text has twice; null: there is none. @param text valid JSON. */
export function repeatedField(text: string): string | null {
  const bounds = new JsonBounds(NO_LIMITS);
  bounds.push(new TextEncoder().encode(text));
  return bounds.repeated;
}
