/** Tells the kernel's rules which name servers this machine has, when they change: streams reach no other port 53. */
import { resolversOf } from "../net/resolvers.ts";
import { openRegular, shortText } from "../os/regular_file.ts";
import type { Part } from "../tools/part.ts";
import { Loop } from "../tools/time.ts";

/** Milliseconds between two looks at the file: for so long, streams know no names after a change. */
const LOOK_MS = 2000;
const MAX_BYTES = 64 * 1024;

export interface ResolverWatchParts {
  /** The path of resolv.conf. */
  file: string;
  /** Has the kernel's rules open port 53 of these addresses, and of no others. */
  allow(resolvers: readonly string[]): Promise<void>;
}

export class ResolverWatch implements Part {
  #parts: ResolverWatchParts;
  #loop = new Loop("streams do not reach this machine's name servers");
  #allowed = "";

  constructor(parts: ResolverWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(LOOK_MS, () => this.round());
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** @throws {Error} when the kernel refuses; the next round tries again. */
  async round(): Promise<void> {
    const resolvers = resolversOf(this.#text());
    if (resolvers.join() === this.#allowed) return;
    await this.#parts.allow(resolvers);
    this.#allowed = resolvers.join();
  }

  #text(): string {
    // the file is a link where systemd or NetworkManager writes it
    using file = openRegular(this.#parts.file, "followed");
    return file ? shortText(file, MAX_BYTES) ?? "" : "";
  }
}
