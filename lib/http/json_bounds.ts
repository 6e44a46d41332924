/**
 * Counts what JSON text will be made of, before it is parsed: JSON.parse of 700,000 keys takes half a second, in which
 * nobody else is answered.
 */

export interface JsonLimits {
  /** Objects and lists in each other. */
  depth: number;
  /** Members of one object, and all values together. */
  members: number;
  values: number;
  /** Bytes of one text: a rule may read each of its characters some times. */
  text: number;
}

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

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** What is too much, or null. Nothing more needs to be pushed then. */
  push(bytes: Uint8Array): string | null {
    for (let at = 0; at < bytes.length; at++) {
      if (this.#isInString) {
        const start = at;
        at = this.#endOfString(bytes, start);
        this.#textBytes += at - start;
        if (this.#textBytes > this.#limits.text) return `has a text of more than ${this.#limits.text} bytes`;
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
        if (open.length > this.#limits.depth) return `is nested deeper than ${this.#limits.depth} levels`;
        return this.#more();
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        open.pop();
        return null;
      case COMMA: {
        const last = open.length - 1;
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
