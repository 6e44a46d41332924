/** Has ffmpeg make pictures and film of pieces, a few at once, and keeps the newest of them in memory. */
import type { Machine } from "../machine/machine.ts";
import { ProcessError } from "../machine/os/process.ts";
import { Semaphore } from "../machine/tools/concurrency.ts";
import { ByteCache } from "./byte_cache.ts";
import { bytesOf, type Feed } from "./feed.ts";

/** Milliseconds; a picture takes 0.2 s, film some seconds at most, and all of it longer on a machine that is busy. */
const LIMIT_MS = { picture: 10_000, film: 60_000 };

/** At once. Somebody waits for a picture in front of it; film is made ahead of its viewers. */
const SIDE_BY_SIDE = { picture: 2, film: 1 };

/** Of one thing: many times the largest segment of 4K. */
const MAX_BYTES = 64 * 2 ** 20;

/** Of all that is kept. */
const CACHE_BYTES = 16 * 2 ** 20;

type Kind = keyof typeof LIMIT_MS;

export interface Order {
  kind: Kind;
  /** The same for the same bytes only; null: they are not kept. */
  key: string | null;
  command: string[];
  feeds: readonly Feed[];
  /** Unix time in s until which the last picture stands; null: it is the last one. */
  until: number | null;
  signal: AbortSignal;
}

export class Making {
  #machine: Pick<Machine, "runBytes">;
  #turns = { picture: new Semaphore(SIDE_BY_SIDE.picture), film: new Semaphore(SIDE_BY_SIDE.film) };
  #made = new ByteCache(CACHE_BYTES);

  constructor(machine: Pick<Machine, "runBytes">) {
    this.#machine = machine;
  }

  /** @throws {ProcessError} when ffmpeg makes nothing of it, takes too long, or the client has left. */
  async make(order: Order): Promise<Uint8Array<ArrayBuffer>> {
    // whoever was before may have asked for the same
    return this.#kept(order) ??
      await this.#turns[order.kind].run(async () => this.#kept(order) ?? await this.#new(order));
  }

  #kept({ key }: Order): Uint8Array<ArrayBuffer> | undefined {
    return key === null ? undefined : this.#made.get(key);
  }

  async #new({ kind, key, command, feeds, until, signal }: Order): Promise<Uint8Array<ArrayBuffer>> {
    const { code, stdout, stderr } = await this.#machine.runBytes(command, {
      timeoutMs: LIMIT_MS[kind],
      signal,
      input: bytesOf(feeds, until, signal),
      maxOutput: MAX_BYTES,
      cwd: "/",
    });
    if (code !== 0 || stdout.length === 0) {
      const last = stderr.trim().split("\n").at(-1)?.slice(0, 300);
      throw new ProcessError(`no picture of the past: ${last || `ffmpeg ended with ${code}`}`);
    }
    if (key !== null) this.#made.set(key, stdout);
    return stdout;
  }
}
