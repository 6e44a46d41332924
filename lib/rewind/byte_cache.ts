/** Bytes by a key, within a limit: what was asked for longest ago goes first. */
export class ByteCache {
  #most: number;
  #kept = new Map<string, Uint8Array<ArrayBuffer>>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Uint8Array<ArrayBuffer> | undefined {
    const bytes = this.#kept.get(key);
    if (bytes) {
      this.#kept.delete(key);
      this.#kept.set(key, bytes);
    }
    return bytes;
  }

  set(key: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.#drop(key);
    this.#kept.set(key, bytes);
    this.#bytes += bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#most) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.length ?? 0;
    this.#kept.delete(key);
  }
}
