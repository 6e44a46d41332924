/** The shared files in memory: young, bounded, least recently used first out. */
import { isPlaylist } from "./hls.ts";
import { FileFailure, type FileRules, GIVEN_UP, SharedFile } from "./shared_file.ts";

/** What an entry costs besides its bytes; bounds the number of files that do not exist. */
const ENTRY_BYTES = 4096;
const SWEEP_MS = 2000;

export interface CacheRules {
  /** Bytes of all files together. */
  maxBytes: number;
  /** Milliseconds a file is shared, from the moment it was asked for: by then a stopped stream's segments are gone. */
  segmentMs: number;
  playlistMs: number;
  /** Of an answer that is none, such as 404. */
  failureMs: number;
  /** Milliseconds until one who still reads a file is cut off. */
  slowMs: number;
  answerMs: number;
  idleMs: number;
  /** A playlist as viewers get it. */
  rewritten(path: string, playlist: string): string;
}

export const CACHE_RULES: CacheRules = {
  maxBytes: 64 * 1024 * 1024,
  segmentMs: 30_000,
  playlistMs: 200,
  failureMs: 200,
  slowMs: 60_000,
  answerMs: 1800,
  idleMs: 5000,
  rewritten: (_path, playlist) => playlist,
};

export class FileCache implements Disposable {
  #rules: CacheRules;
  #now: () => number;
  /** What is handed out for a path. */
  #current = new Map<string, SharedFile>();
  /** All that take memory, also those only followed any more; least recently used first. */
  #files = new Set<SharedFile>();
  #bytes = 0;
  #sweeping: ReturnType<typeof setTimeout> | undefined;

  /** @param origin of the media server, such as "http://127.0.0.1:8888". @param now a steady clock, in ms. */
  constructor(
    readonly origin: string,
    rules: Partial<CacheRules> = {},
    now: () => number = () => performance.now(),
  ) {
    this.#rules = { ...CACHE_RULES, ...rules };
    this.#now = now;
  }

  /** Bytes that all files take together, with what is promised to those under way. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The file at a path that is here and fresh, also one under way. */
  find(path: string): SharedFile | null {
    const file = this.#current.get(path);
    if (!file || !this.#isFresh(file, this.#now())) return null;
    if (!isPlaylist(path)) {
      this.#files.delete(file);
      this.#files.add(file);
    }
    return file;
  }

  /** The file at a path; asked for now unless it is here. */
  file(path: string): SharedFile {
    const found = this.find(path);
    if (found) return found;
    const stale = this.#current.get(path);
    if (stale && !stale.isFollowed) this.#drop(stale);
    const file: SharedFile = new SharedFile(
      this.origin,
      path,
      this.#now(),
      this.#fileRules(path),
      (bytes) => {
        this.#makeRoom(file, bytes);
      },
    );
    this.#current.set(path, file);
    this.#files.add(file);
    this.#makeRoom(file, ENTRY_BYTES);
    this.#sweeping ??= this.#sweepLater();
    return file;
  }

  /** Drops what is too old to be shared and followed by nobody, or by somebody who is far too slow. */
  sweep(): void {
    const now = this.#now();
    for (const file of this.#files) {
      if (this.#isFresh(file, now)) continue;
      if (!file.isFollowed || now - file.startedAt > this.#rules.slowMs) this.#drop(file);
    }
  }

  /** Gives up everything. */
  [Symbol.dispose](): void {
    clearTimeout(this.#sweeping);
    for (const file of this.#files) this.#drop(file);
  }

  #fileRules(path: string): FileRules {
    const { answerMs, idleMs, segmentMs, maxBytes, rewritten } = this.#rules;
    const rules = { answerMs, idleMs, maxBytes: maxBytes / 4 };
    if (!isPlaylist(path)) return { ...rules, wholeMs: segmentMs };
    return { ...rules, wholeMs: answerMs, rewritten: (playlist) => rewritten(path, playlist) };
  }

  #isFresh(file: SharedFile, now: number): boolean {
    if (file.failure?.status === GIVEN_UP) return false;
    const { failureMs, playlistMs, segmentMs } = this.#rules;
    const limit = file.failure ? failureMs : isPlaylist(file.path) ? playlistMs : segmentMs;
    return now - file.startedAt <= limit;
  }

  /** Makes room for bytes of a file: first of files nobody follows, then of those that were not asked for the longest. */
  #makeRoom(file: SharedFile, bytes: number): void {
    this.#bytes += bytes;
    for (const isFollowed of [false, true]) {
      for (const other of this.#files) {
        if (this.#bytes <= this.#rules.maxBytes) return;
        if (other !== file && other.isFollowed === isFollowed) this.#drop(other);
      }
    }
  }

  #drop(file: SharedFile): void {
    if (!this.#files.delete(file)) return;
    if (this.#current.get(file.path) === file) this.#current.delete(file.path);
    this.#bytes -= ENTRY_BYTES + (file.head?.size ?? 0);
    file.end(new FileFailure(GIVEN_UP, "dropped from the cache"));
  }

  #sweepLater(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => {
      this.sweep();
      this.#sweeping = this.#files.size > 0 ? this.#sweepLater() : undefined;
    }, SWEEP_MS);
    Deno.unrefTimer(timer);
    return timer;
  }
}
