/**
 * A sound output for a viewer's Chromium: PulseAudio without a device. Without one Chromium pretends to have an output,
 * whose clock loses each turn that a busy machine makes it miss, and hls.js plays by that clock.
 */
import type { Browser } from "playwright-core";
import { audioCommand, pulseSocket, waitForSound } from "../../lib/live/programs/commands/audio.ts";
import { launchBrowserWith } from "./browser.ts";

const READY_MS = 5000;

export interface SoundServer extends AsyncDisposable {
  /** For PULSE_SERVER. */
  address: string;
  /** Where its socket is. */
  folder: string;
}

/** A sound server as a stream's. */
export async function startSoundServer(): Promise<SoundServer> {
  const folder = await Deno.makeTempDir({ prefix: "bs-sound-" });
  const [program, ...args] = audioCommand(folder);
  const server = new Deno.Command(program, {
    args,
    env: { HOME: folder, PULSE_RUNTIME_PATH: folder },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await using made = new AsyncDisposableStack();
  made.defer(() => Deno.remove(folder, { recursive: true }));
  made.defer(async () => {
    server.kill("SIGTERM");
    await server.status;
  });
  if (!await waitForSound(folder, READY_MS)) throw new Error("PulseAudio does not start");
  const all = made.move();
  return { address: `unix:${pulseSocket(folder)}`, folder, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A browser that plays sound. `using` ends both. */
export async function launchHearingBrowser(): Promise<{ browser: Browser } & AsyncDisposable> {
  await using made = new AsyncDisposableStack();
  const { address } = made.use(await startSoundServer());
  const browser = await launchBrowserWith({
    args: [
      "--autoplay-policy=no-user-gesture-required",
      // 8192 of 48,000 samples a second, which a busy machine brings in time: for each 20 ms that it brings late, the
      // clock of hls.js would stand still
      "--audio-buffer-size=8192",
    ],
    ignoreDefaultArgs: ["--mute-audio"],
    env: { ...Deno.env.toObject(), PULSE_SERVER: address },
  });
  made.defer(() => browser.close());
  const all = made.move();
  return { browser, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
