/** How far a channel's stream time is behind the wall clock, by the segments that the media server writes. */
import { join } from "node:path";
import { TIMESTAMP_PERIOD } from "../../lib/pipeline/encoder.ts";
import { pause } from "./within.ts";
import { PACKET, pictureTimes } from "./transport_stream.ts";

const LOOK_MS = 500;
/** The tables and the key frame are at the beginning. */
const HEAD = 20 * PACKET;

export interface Lag {
  /** Unix ms. */
  at: number;
  /** Milliseconds; they count from anywhere, but from the same for all of a channel. */
  lagMs: number;
}

/** Looks at each segment that is finished, in the background. @returns what ends it. */
export function watchSegmentClock(folder: string): { end(): Promise<Lag[]> } {
  const lags = new Map<string, Lag>();
  let hasEnded = false;
  const watching = (async () => {
    while (!hasEnded) {
      for (const [name, lag] of await lagsIn(folder)) lags.set(name, lag);
      await pause(LOOK_MS);
    }
  })();
  watching.catch(() => {}); // told by end()
  return {
    async end() {
      hasEnded = true;
      await watching;
      return [...lags.values()].sort((a, b) => a.at - b.at);
    },
  };
}

/** A segment is finished by the key frame that the next one begins with: then it was written to for the last time. */
async function lagsIn(folder: string): Promise<[string, Lag][]> {
  const names = (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name))
    .filter((name) => /^\d+\.ts$/.test(name)).sort((a, b) => parseInt(a) - parseInt(b));
  const found: [string, Lag][] = [];
  for (const [index, name] of names.entries()) {
    const next = names[index + 1];
    if (next === undefined) continue;
    try {
      const written = (await Deno.stat(join(folder, name))).mtime!.getTime();
      const [begins] = pictureTimes(await headOf(join(folder, next)));
      if (begins === undefined) throw new Error(`${next} begins without a picture`);
      const period = TIMESTAMP_PERIOD * 1000;
      const behind = ((written - begins * 1000) % period + period) % period;
      found.push([name, { at: written, lagMs: behind > period / 2 ? behind - period : behind }]);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // the media server has removed it
    }
  }
  return found;
}

async function headOf(path: string): Promise<Uint8Array> {
  using file = await Deno.open(path);
  const bytes = new Uint8Array(HEAD);
  const read = await file.read(bytes);
  return bytes.subarray(0, read ?? 0);
}
