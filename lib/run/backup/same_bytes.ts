/** A file that is read several times, and whose owner may write to it meanwhile. */
import { createHash } from "node:crypto";
import { readRange } from "../../machine/os/regular_file.ts";

const CHUNK = 1024 * 1024;

export class SameBytes implements Disposable {
  #file: Deno.FsFile;
  /** Of each chunk of the first reading. */
  #digests: string[] | null = null;

  constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** The file's bytes; from the second time on only those of the first. @throws {Error} when they are others. */
  async *read(): AsyncGenerator<Uint8Array> {
    const known = this.#digests;
    const digests: string[] = this.#digests = known ?? [];
    const end = known?.length ?? Math.ceil((await this.#file.stat()).size / CHUNK);
    for (let at = 0; at < end; at++) {
      const chunk = await readRange(this.#file, at * CHUNK, (at + 1) * CHUNK);
      const digest = createHash("sha256").update(chunk).digest("hex");
      if (known && known[at] !== digest) throw new Error("another program changes it meanwhile");
      digests[at] = digest;
      yield chunk;
    }
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}
