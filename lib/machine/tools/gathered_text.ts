/** A text whose bytes come in pieces: an object for each piece would cost far more than the piece. */

/** Bytes of the buffer that is kept for the next text: hardly any text is longer. */
const KEPT_BYTES = 64 * 1024;

export class GatheredText {
  /** Begins with the bytes so far. */
  #buffer = new Uint8Array();
  #size = 0;
  #decoder = new TextDecoder();

  /** Bytes so far. */
  get size(): number {
    return this.#size;
  }

  /** Copies the bytes. */
  add(bytes: Uint8Array): void {
    const size = this.#size + bytes.length;
    if (size > this.#buffer.length) {
      const longer = new Uint8Array(Math.max(KEPT_BYTES, 2 * this.#buffer.length, size));
      longer.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = longer;
    }
    this.#buffer.set(bytes, this.#size);
    this.#size = size;
  }

  /** The text, of so many bytes at most; the next addition begins a new text. */
  end(most = Infinity): string {
    const text = this.#decoder.decode(this.#buffer.subarray(0, Math.min(this.#size, most)));
    this.#size = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = new Uint8Array();
    return text;
  }
}
