/** Sound: one PulseAudio server, one null sink a stream. */
import { join } from "node:path";
import type { Runner } from "../system/process.ts";
import type { StreamId } from "../streams/id.ts";
import { sinkName } from "./spec.ts";

/** The PulseAudio server's command line. */
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
    `module-native-protocol-unix socket=${pulseSocket(pulseDir)} auth-anonymous=1`,
    "-L",
    "module-null-sink sink_name=silent rate=48000 channels=2",
  ];
}

/** The path of the audio server's socket. */
export function pulseSocket(pulseDir: string): string {
  return join(pulseDir, "native");
}

/** pactl's answer, or null when the audio server does not give one within 3 s. */
async function pactl(run: Runner, pulseDir: string, args: string[]): Promise<string | null> {
  const env = { PULSE_SERVER: `unix:${pulseSocket(pulseDir)}`, LC_ALL: "C" };
  const result = await run(["/usr/bin/pactl", ...args], { timeoutMs: 3000, env }).catch(() => null);
  return result?.code === 0 ? result.stdout : null;
}

/**
 * Makes the stream's null sink if it is missing; false when the audio server is down.
 * Browser and encoder ask at the same time, hence the lock.
 */
export async function ensureSink(run: Runner, pulseDir: string, id: StreamId): Promise<boolean> {
  const sink = sinkName(id);
  using lock = await Deno.open(join(pulseDir, "sinks.lock"), { write: true, create: true, mode: 0o600 });
  await lock.lock(true);
  const sinks = await pactl(run, pulseDir, ["list", "short", "sinks"]);
  if (sinks === null) return false;
  if (sinks.split("\n").some((line) => line.split("\t")[1] === sink)) return true;
  const settings = [
    `sink_name=${sink}`,
    "rate=48000",
    "channels=2",
    `sink_properties=device.description=${sink}`,
  ];
  return await pactl(run, pulseDir, ["load-module", "module-null-sink", ...settings]) !== null;
}

/** Removes the stream's null sink; a missing one, or a missing server, is fine. */
export async function removeSink(run: Runner, pulseDir: string, id: StreamId): Promise<void> {
  const modules = await pactl(run, pulseDir, ["list", "short", "modules"]) ?? "";
  for (const line of modules.split("\n")) {
    const [index, , settings] = line.split("\t");
    if (settings?.split(" ").includes(`sink_name=${sinkName(id)}`)) {
      await pactl(run, pulseDir, ["unload-module", index]);
    }
  }
}
