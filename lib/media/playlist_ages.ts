/** How old the channels' playlists are, whatever is done to the machine's clock. */
import type { StreamId } from "../model/id.ts";
import { playlistTime } from "./hls.ts";

interface Look {
  /** The file's own time, Unix ms. */
  writtenAt: number;
  /** By the steady clock: when that was first seen to be so, and when it was seen last. */
  since: number;
  lookedAt: number;
}

const FORGOTTEN_MS = 60_000;

export class PlaylistAges {
  #hlsDir: string;
  #now: () => number;
  #elapsed: () => number;
  #looks = new Map<StreamId, Look>();
  #prunedAt = 0;

  /** @param now Unix ms, as files have it. @param elapsed ms of a steady clock. */
  constructor(hlsDir: string, now: () => number, elapsed: () => number) {
    this.#hlsDir = hlsDir;
    this.#now = now;
    this.#elapsed = elapsed;
  }

  /**
   * Milliseconds since the playlist was last written; null if there is none with a segment. At once: it is in memory, and
   * asked for each second, for which another thread would wake, and wake this one.
   */
  of(id: StreamId): number | null {
    const writtenAt = playlistTime(this.#hlsDir, id);
    if (writtenAt === null) {
      this.#looks.delete(id);
      return null;
    }
    const at = this.#elapsed();
    const last = this.#looks.get(id);
    // the clock may have been set since the file was written; one that was written since the last look is no older than that
    const ageMs = Math.max(0, Math.min(this.#now() - writtenAt, last ? at - last.lookedAt : Infinity));
    const since = last?.writtenAt === writtenAt ? last.since : at - ageMs;
    this.#looks.set(id, { writtenAt, since, lookedAt: at });
    this.#prune(at);
    return at - since;
  }

  /** Forgets those that nobody asks for any more: of streams that are gone. */
  #prune(now: number): void {
    if (now - this.#prunedAt < FORGOTTEN_MS) return;
    this.#prunedAt = now;
    for (const [id, { lookedAt }] of this.#looks) if (now - lookedAt >= FORGOTTEN_MS) this.#looks.delete(id);
  }
}
