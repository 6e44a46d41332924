/** A channel as ffmpeg decodes it, frame by frame. */
import { strict as assert } from "node:assert";
import { run } from "../../lib/machine/os/process.ts";

export interface DecodedTrack {
  /** Seconds, in the order they came. */
  times: number[];
  /** Frames that differ from the one before. */
  changes: number;
}

/** Picture and sound of a recording. @throws when ffmpeg complains of anything. */
export async function decode(file: string): Promise<{ video: DecodedTrack; audio: DecodedTrack }> {
  const argv = ["/usr/bin/ffmpeg", "-v", "error", "-nostdin", "-f", "mpegts", "-i", file];
  const { code, stdout, stderr } = await run(
    [...argv, "-map", "0:v", "-map", "0:a", "-f", "framemd5", "-"],
    { timeoutMs: 60_000 },
  );
  assert.deepEqual([code, stderr], [0, ""]);
  return { video: track(stdout, 0), audio: track(stdout, 1) };
}

/** One track of a framemd5 text: `#tb 0: 1/25`, then lines of track, dts, pts, duration, size, hash. */
function track(text: string, number: number): DecodedTrack {
  const base = new RegExp(`^#tb ${number}: (\\d+)/(\\d+)$`, "m").exec(text)!;
  const second = Number(base[2]) / Number(base[1]);
  const rows = text.split("\n").filter((line) => line.startsWith(`${number},`)).map((line) =>
    line.split(",").map((word) => word.trim())
  );
  return {
    times: rows.map(([, , pts]) => Number(pts) / second),
    changes: rows.filter((row, at) => row[5] !== rows[at - 1]?.[5]).length,
  };
}
