/** A moving picture of 320x180 with a beep each second, as a media server would send it, for as long as a test wants. */
import { runBytes } from "../../lib/machine/os/process.ts";
import type { RtmpMessage } from "../../lib/channel/media/rtmp_chunks.ts";
import type { TestChannel } from "./rtmp_channel.ts";

const SECONDS = 10;
const STEP_MS = 20;

/** Messages of an FLV file. Source: Adobe's Video File Format 10.1, annex E.4. */
export function flvMessages(bytes: Uint8Array): RtmpMessage[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const messages: RtmpMessage[] = [];
  for (let at = view.getUint32(5) + 4; at + 11 <= bytes.length;) {
    const size = view.getUint32(at) & 0xff_ffff;
    const time = (view.getUint32(at + 4) >>> 8) + bytes[at + 7] * 2 ** 24;
    messages.push({ type: bytes[at] & 0x1f, time, payload: bytes.slice(at + 11, at + 11 + size) });
    at += 11 + size + 4;
  }
  return messages;
}

async function record(): Promise<RtmpMessage[]> {
  const { code, stdout, stderr } = await runBytes([
    ...["/usr/bin/ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25"],
    ...["-f", "lavfi", "-i", "sine=frequency=440:beep_factor=4:sample_rate=48000", "-t", String(SECONDS)],
    ...["-c:v", "libx264", "-preset", "ultrafast", "-profile:v", "baseline", "-pix_fmt", "yuv420p"],
    ...["-g", "25", "-sc_threshold", "0", "-b:v", "200k", "-c:a", "aac", "-b:a", "64k", "-ac", "2"],
    ...["-flvflags", "no_duration_filesize", "-f", "flv", "pipe:1"],
  ], { timeoutMs: 60_000 });
  if (code !== 0) throw new Error(`ffmpeg: ${stderr}`);
  return flvMessages(stdout).filter(({ type }) => type === 8 || type === 9);
}

let recorded: Promise<RtmpMessage[]> | null = null;

export interface LiveClip extends Disposable {
  /** Nothing comes until it goes on, where the clip is by then. */
  pause(): void;
  resume(): void;
}

/** Sends the clip again and again, in its own time. */
export async function sendClip(channel: TestChannel): Promise<LiveClip> {
  const messages = await (recorded ??= record());
  const isSettings = ({ payload }: RtmpMessage) => payload[1] === 0;
  const settings = messages.filter(isSettings);
  const media = messages.filter((message) => !isSettings(message));
  const begun = performance.now();
  let [next, round, isPaused, players] = [0, 0, false, 0];
  const timer = setInterval(() => {
    const now = performance.now() - begun;
    const due: RtmpMessage[] = [];
    for (;;) {
      const message = media[next];
      const time = message.time + round * SECONDS * 1000;
      if (time > now) break;
      due.push({ ...message, time });
      next = (next + 1) % media.length;
      if (next === 0) round++;
    }
    // a new player gets them first, as from the media server
    if (channel.players > players) channel.send(settings);
    players = channel.players;
    if (!isPaused && due.length > 0) channel.send(due);
  }, STEP_MS);
  return {
    pause: () => isPaused = true,
    resume: () => isPaused = false,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
