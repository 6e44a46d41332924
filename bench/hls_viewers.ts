/** Viewers that do what a player does: poll the playlist, fetch what is new, play it on time. */
import { parsePlaylist } from "../tests/support/media.ts";
import { pause } from "../tests/support/within.ts";

/** Players begin this many segments before the newest (RFC 8216, section 6.3.3, and hls.js's default). */
const START_BEHIND = 3;
const POLL_MS = 1000;

export interface Watched {
  segments: number;
  bytes: number;
  /** Segments that arrived after the moment they had to be shown, or never. */
  late: number;
  errors: number;
  /** Milliseconds each segment took, and what was left until it had to be shown. */
  took: number[];
  spare: number[];
}

/** Before anything was watched. */
export function nothingWatched(): Watched {
  return { segments: 0, bytes: 0, late: 0, errors: 0, took: [], spare: [] };
}

/** Watches a playlist until `end` (ms of performance.now) and adds to `watched`. */
export async function watch(playlist: string, end: number, watched: Watched): Promise<void> {
  let next: number | null = null;
  /** When the next segment must be here. */
  let deadline = Infinity;
  while (performance.now() < end) {
    const polled = performance.now();
    const response = await fetch(playlist).catch(() => null);
    const text = await response?.text().catch(() => null);
    if (response?.ok && text) {
      const { sequence, segments } = parsePlaylist(text);
      next ??= sequence + Math.max(0, segments.length - START_BEHIND);
      if (next < sequence) {
        watched.late += sequence - next;
        next = sequence;
      }
      for (const { uri, duration } of segments.slice(next - sequence)) {
        const requestedAt = performance.now();
        const segment = await fetch(new URL(uri, playlist)).catch(() => null);
        const body = segment?.ok ? await segment.arrayBuffer().catch(() => null) : null;
        if (!body) watched.errors++;
        const now = performance.now();
        const isLate = !body || now > deadline;
        if (isLate) watched.late++;
        else if (deadline !== Infinity) watched.spare.push(deadline - now);
        // playback starts with the first segment, and again after a stall
        deadline = (isLate || deadline === Infinity ? now : deadline) + duration * 1000;
        watched.segments++;
        watched.bytes += body?.byteLength ?? 0;
        watched.took.push(now - requestedAt);
        next++;
      }
    } else {
      await response?.body?.cancel().catch(() => {});
      watched.errors++;
    }
    await pause(Math.max(0, POLL_MS - (performance.now() - polled)));
  }
}
