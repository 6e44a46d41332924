/** The media server's files in memory, so that all viewers of one at a time cost one request. */
import { askUpstream, type UpstreamAnswer } from "../door/upstream.ts";
import { isSocket } from "../machine/os/files.ts";
import { errorText } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { withTimeout } from "../machine/tools/time.ts";
import { DEFAULT_TIMINGS, type Timings } from "../timings.ts";
import { type HlsFile, isPlaylist } from "./media/hls.ts";

export type HlsLimits = Timings["hls"];

/** What an entry costs besides its file; bounds the number of files that do not exist. */
const ENTRY_BYTES = 4096;

export type HlsAnswer =
  | { kind: "file"; file: HlsFile }
  /** The file is there, but too big to share or of unknown size. */
  | { kind: "unshared" }
  /** The media server answered with a status that is not 200. */
  | { kind: "refused"; status: number }
  /** The media server gave no answer, or only a part of the file. */
  | { kind: "unavailable"; problem: string };

interface Entry {
  answer: Promise<HlsAnswer>;
  /** Of the injected clock. */
  askedAt: number;
  /** Of the injected clock; Infinity while the file is under way. */
  expiresAt: number;
  bytes: number;
  abort: AbortController;
}

/** A playlist as viewers get it, made of the media server's. */
type Rewrite = (playlist: string) => string | Promise<string>;

interface Options {
  limits?: Partial<HlsLimits>;
  /** A steady clock, in milliseconds. */
  now?: () => number;
  /** What the media server wants to see. */
  headers?: Headers;
  /** Where the media server has a socket for us alone: others may fill its port. */
  socket?: string;
  /** Asks another server than the one at the origin. */
  ask?: (path: string, abort: AbortController) => Promise<UpstreamAnswer>;
}

export class HlsCache implements Part {
  #limits: HlsLimits;
  #now: () => number;
  /** Of every request to the media server. */
  readonly headers: Headers;
  /** By path, least recently used first. */
  #entries = new Map<string, Entry>();
  #bytes = 0;
  #sweeping: ReturnType<typeof setInterval> | undefined;

  #socket: string | undefined;
  #ask: NonNullable<Options["ask"]>;
  #client: Deno.HttpClient | undefined;

  /** @param origin of the media server, such as "http://127.0.0.1:8888". */
  constructor(readonly origin: string, { limits, now, headers, socket, ask }: Options = {}) {
    this.#socket = socket;
    this.#ask = ask ?? ((path, abort) => {
      const { headers, client } = this;
      return askUpstream(this.origin + path, { abort, headers, client }, this.#limits);
    });
    this.headers = headers ?? new Headers();
    this.#limits = { ...DEFAULT_TIMINGS.hls, ...limits };
    this.#now = now ?? (() => performance.now());
  }

  /** Frees the memory of old files from now on, also when nobody asks for any. */
  start(): void {
    this.#sweeping ??= setInterval(() => this.#sweep(), this.#limits.sweepMs);
  }

  /** Ends the requests under way and drops all files. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
    const entries = [...this.#entries.values()];
    for (const { abort } of entries) abort.abort();
    await Promise.all(entries.map(({ answer }) => answer));
    this.#entries.clear();
    this.#bytes = 0;
    this.#client?.close();
    this.#client = undefined;
  }

  /** How the media server is reached: by its socket for us, where there is one; else by its address. */
  get client(): Deno.HttpClient | undefined {
    if (this.#socket === undefined || !isSocket(this.#socket)) return undefined;
    return this.#client ??= Deno.createHttpClient({ proxy: { transport: "unix", path: this.#socket } });
  }

  /** Bytes that all files take together, with what those under way will take. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The file at a path, asked for now unless it is here or under way. Never rejects.
   * @param notBefore an answer that was asked for earlier does not count, ms of the cache's clock.
   * @param rewritten a playlist as viewers get it.
   */
  get(path: string, notBefore = -Infinity, rewritten: Rewrite = (playlist) => playlist): Promise<HlsAnswer> {
    const known = this.#entries.get(path);
    if (known && known.askedAt >= notBefore && this.#now() <= known.expiresAt) {
      this.#entries.delete(path);
      this.#entries.set(path, known);
      return known.answer;
    }
    this.#drop(path);
    const { promise: answer, resolve } = Promise.withResolvers<HlsAnswer>();
    const abort = new AbortController();
    const entry = { answer, askedAt: this.#now(), expiresAt: Infinity, bytes: 0, abort };
    this.#reserve(entry, ENTRY_BYTES);
    this.#entries.set(path, entry);
    this.#load(path, entry, rewritten).then(resolve);
    return answer;
  }

  async #load(path: string, entry: Entry, rewritten: Rewrite): Promise<HlsAnswer> {
    const { playlistMs, segmentMs, failureMs, answerMs } = this.#limits;
    const startedAt = this.#now();
    const wholeMs = isPlaylist(path) ? answerMs : segmentMs;
    const answer = await withTimeout(
      wholeMs,
      this.#fetch(path, entry, rewritten),
      `not whole after ${wholeMs} ms`,
    )
      .catch((error): HlsAnswer => ({ kind: "unavailable", problem: errorText(error) }));
    if (answer.kind !== "file") {
      entry.abort.abort();
      this.#resize(entry, ENTRY_BYTES);
    }
    const lifetimeMs = answer.kind !== "file" ? failureMs : isPlaylist(path) ? playlistMs : segmentMs;
    entry.expiresAt = startedAt + lifetimeMs;
    return answer;
  }

  async #fetch(path: string, entry: Entry, rewritten: Rewrite): Promise<HlsAnswer> {
    const upstream = await this.#ask(path, entry.abort);
    const { status, headers } = upstream;
    if (status !== 200) return { kind: "refused", status };
    const size = Number(headers.get("content-length") ?? NaN);
    const isShared = size <= this.#limits.maxBytes / 4 && this.#reserve(entry, ENTRY_BYTES + size);
    if (!isShared) return { kind: "unshared" };
    const bytes = await readWhole(upstream, size);
    const type = headers.get("content-type");
    if (!isPlaylist(path)) {
      return { kind: "file", file: { type, etag: headers.get("etag"), bytes, text: null } };
    }
    const text = await rewritten(new TextDecoder().decode(bytes));
    const encoded = new TextEncoder().encode(text);
    this.#resize(entry, ENTRY_BYTES + encoded.length);
    return { kind: "file", file: { type, etag: null, bytes: encoded, text } };
  }

  /** Counts an entry's bytes, and drops the files that nobody has asked for the longest. False: the files under way need all the room. */
  #reserve(entry: Entry, bytes: number): boolean {
    const { maxBytes } = this.#limits;
    const more = bytes - entry.bytes;
    for (const [path, { expiresAt }] of this.#entries) {
      if (this.#bytes + more <= maxBytes) break;
      if (expiresAt !== Infinity) this.#drop(path);
    }
    if (this.#bytes + more > maxBytes) return false;
    this.#resize(entry, bytes);
    return true;
  }

  #resize(entry: Entry, bytes: number): void {
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  #drop(path: string): void {
    this.#bytes -= this.#entries.get(path)?.bytes ?? 0;
    this.#entries.delete(path);
  }

  #sweep(): void {
    const now = this.#now();
    for (const [path, { expiresAt }] of this.#entries) if (expiresAt < now) this.#drop(path);
  }
}

/** @throws when the body is not as long as it was told to be. */
async function readWhole(upstream: UpstreamAnswer, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  let filled = 0;
  for (let part = await upstream.read(); part; part = await upstream.read()) {
    if (filled + part.length > size) throw new Error(`more than ${size} bytes`);
    bytes.set(part, filled);
    filled += part.length;
  }
  if (filled < size) throw new Error(`${filled} of ${size} bytes`);
  return bytes;
}
