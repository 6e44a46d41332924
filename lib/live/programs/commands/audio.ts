/** Sound: each stream has a PulseAudio server of its own, so that no other stream can listen. */
import { join } from "node:path";
import { sleep } from "../../../machine/tools/time.ts";
import { SINK } from "./spec.ts";

/** The PulseAudio server's command line. Its socket comes last: with the socket, the sink is there. */
export function audioCommand(pulseDir: string): string[] {
  return [
    "/usr/bin/pulseaudio",
    "-n",
    "--daemonize=no",
    "--use-pid-file=no",
    "--exit-idle-time=-1",
    "--disallow-exit",
    "--realtime=no",
    "--high-priority=no",
    "--log-target=stderr",
    "--log-level=notice",
    "-L",
    `module-null-sink sink_name=${SINK} rate=48000 channels=2 sink_properties=device.description=${SINK}`,
    "-L",
    `module-native-protocol-unix socket=${pulseSocket(pulseDir)} auth-anonymous=1 auth-cookie-enabled=0`,
  ];
}

/** The path of the audio server's socket. */
export function pulseSocket(pulseDir: string): string {
  return join(pulseDir, "native");
}

/** The command that succeeds when the audio server answers. */
export function soundQuestion(pulseDir: string): string[] {
  return ["/usr/bin/pactl", `--server=unix:${pulseSocket(pulseDir)}`, "info"];
}

/** The command that takes the sound from whoever records it, or gives it back. */
export function muteCommand(pulseDir: string, isMuted: boolean): string[] {
  const server = `--server=unix:${pulseSocket(pulseDir)}`;
  return ["/usr/bin/pactl", server, "set-sink-mute", SINK, isMuted ? "1" : "0"];
}

/** Looks for the recorder, each after a moment; an ffmpeg that starts is one after a tenth of a second. */
const LOOKS = 60;

/**
 * The command that gives a recorder the sound of now. While nobody records, PulseAudio's null sink renders two seconds at
 * once, so a recorder would get its first sound up to two seconds late; a sink that was suspended begins anew. The
 * command goes on by itself, since its caller becomes the recorder. It ends with the sink at work, whatever happened.
 */
export const SOUND_OF_NOW = [
  ...["/usr/bin/setsid", "--fork", "/bin/sh", "-c"],
  `n=0; while [ $n -lt ${LOOKS} ]; do n=$((n+1)); sleep 0.05; ` +
  `[ -z "$(pactl list short source-outputs)" ] || { pactl suspend-sink ${SINK} 1; break; }; done; ` +
  `pactl suspend-sink ${SINK} 0`,
];

/** Waits until the stream's audio server accepts connections; false when it does not within `limitMs`. */
export async function waitForSound(pulseDir: string, limitMs: number): Promise<boolean> {
  for (const deadline = performance.now() + limitMs; performance.now() < deadline; await sleep(40)) {
    try {
      (await Deno.connect({ transport: "unix", path: pulseSocket(pulseDir) })).close();
      return true;
    } catch {
      // not yet
    }
  }
  return false;
}
