/** `encoder ID`: a stream's encoder. */
import { join } from "node:path";
import { askForPictures, videoSocket } from "../../display/capture/ask.ts";
import type { Config } from "../../config.ts";
import { seedSequence } from "../../channel/media/hls.ts";
import { publishKey, readPublishSecret, writePublishPreset } from "../../channel/media/publish.ts";
import { pathsOf, picturesFolder } from "../../paths.ts";
import { SOUND_OF_NOW, waitForSound } from "../../live/programs/commands/audio.ts";
import { waitForDisplay } from "../../display/display.ts";
import { encoderCommand } from "../../live/programs/commands/encoder.ts";
import type { StreamSpec } from "../../live/programs/commands/spec.ts";
import type { StreamId } from "../../model/id.ts";
import { parseSize } from "../../model/schema.ts";
import { gopFrames, targetDuration } from "../../model/segments.ts";
import { actAs, execve, forgetKept } from "../../machine/os/exec.ts";
import { errorText } from "../../machine/tools/log.ts";
import { isListeningAsService } from "../../machine/os/ports.ts";
import { sleep } from "../../machine/tools/time.ts";
import { recordedUser } from "../../machine/os/users.ts";
import { streamContext } from "./context.ts";

/** Milliseconds that an encoder waits for the sound server: a silent channel is better than no channel. */
const SILENT_MS = 10_000;

/** Becomes a stream's ffmpeg, `delay` seconds after the stream's start. */
export async function encoder(config: Config, id: StreamId): Promise<never> {
  const secret = await readPublishSecret(pathsOf(config).publishSecretFile); // before root's rights are given up
  // the channel's folder is the media server's: no other user may write there
  const keep = await recordedUser(pathsOf(config).mediaDir);
  const { paths, spec, slot, env, user } = await streamContext(config, id, { keep, usesDisplay: true });
  // at most `delay`, whatever was done to the clock since the stream's start
  const delayMs = spec.stream.delay * 1000;
  const wait = Math.min(delayMs, spec.startedAt + delayMs - Date.now());
  await sleep(Math.max(0, Math.min(wait, spec.stream.delay * 1000)));
  await waitForDisplay(spec.display);
  const hasSink = spec.stream.audio && await waitForSound(slot.pulseDir, SILENT_MS);
  if (spec.stream.audio && !hasSink) {
    console.error("the sound server does not answer: this stream is silent until the encoder is restarted");
  }
  actAs(keep, () => seedSequence(paths.hlsDir, id, Date.now(), targetDuration(spec.stream), spec.sequence));
  forgetKept(user);
  if (!await isListeningAsService(paths.runDir, config.RTMP_PORT)) {
    throw new Error(`the media server does not listen on port ${config.RTMP_PORT}, or another program does`);
  }
  const preset = join(slot.homeDir, `${id}.ffpreset`);
  await writePublishPreset(preset, id, publishKey(secret, id));
  const pictures = await findPictures(config, spec);
  const surroundings = { hasSink, rtmpPort: config.RTMP_PORT, preset, pictures, now: Date.now() };
  if (hasSink) await hurrySound(env);
  return execve(encoderCommand(spec, surroundings), env);
}

/** The encoder gets the sound of now, as soon as it asks. Without that it begins a second later. */
async function hurrySound(env: Record<string, string>): Promise<void> {
  const [program, ...args] = SOUND_OF_NOW;
  const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;
  await new Deno.Command(program, { args, env, clearEnv: true, ...quiet }).output();
}

/** Milliseconds that an encoder waits for the capture program, which may be starting, or hang. */
const CAPTURE_MS = 10_000;

/** The socket with the display's pictures; null: ffmpeg has to grab the display itself. */
async function findPictures(config: Config, { stream, display }: StreamSpec): Promise<string | null> {
  if (config.CAPTURE === "x11grab") {
    console.error("ffmpeg takes every picture itself, as CAPTURE says");
    return null;
  }
  const folder = picturesFolder(pathsOf(config), display);
  const wanted = { output: parseSize(stream.scale), fps: stream.fps, gop: gopFrames(stream) };
  try {
    await askForPictures(folder, wanted, CAPTURE_MS);
    console.error("pictures are taken of what changes");
    return videoSocket(folder);
  } catch (error) {
    console.error(`ffmpeg takes every picture itself, as others cannot be had: ${errorText(error)}`);
    return null;
  }
}
