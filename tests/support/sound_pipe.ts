/** A pipe with a name, into which a player plays its sound for hours: when it came is noted, and nothing is kept. */
import { strict as assert } from "node:assert";
import { run } from "../../lib/machine/os/process.ts";

/** Times are noted so far apart at least. */
const NOTE_MS = 250;

export interface SoundPipe {
  /** Unix times in milliseconds at which there was sound, silence included. */
  times: { at: number }[];
  end(): Promise<void>;
}

/** Makes the pipe; everybody may write. */
export async function openSoundPipe(path: string): Promise<SoundPipe> {
  const { code, stderr } = await run(["mkfifo", "-m", "666", path], { timeoutMs: 5000 });
  assert.equal(code, 0, stderr);
  // for both, as the opening would else wait for the player, and the last read for ever
  const pipe = await Deno.open(path, { read: true, write: true });
  const times: { at: number }[] = [];
  let hasEnded = false;
  const reading = (async () => {
    const bytes = new Uint8Array(65_536);
    while (!hasEnded) {
      await pipe.read(bytes);
      const at = Date.now();
      if (at - (times.at(-1)?.at ?? 0) >= NOTE_MS) times.push({ at });
    }
  })();
  return {
    times,
    async end() {
      hasEnded = true;
      // by another one: Deno does one thing after the other with a file, and the read does not end by itself
      await Deno.writeFile(path, new Uint8Array(1), { create: false });
      await reading;
      pipe.close();
    },
  };
}
