/** Runs ffmpeg, and says what it took by its own account. */
import type { Shown } from "./past.ts";
import { feed } from "./frames.ts";

export interface Cost {
  /** User and system, in seconds. */
  cpu: number;
  /** The most memory it had, RSS in MiB. */
  mib: number;
}

/** Pictures of a file, on ffmpeg's standard input. */
export interface Fed {
  path: string;
  shown: readonly Shown[];
}

/** Other work on the machine comes first. */
export const NICE = 10;

/** Options of the input that `feed` writes. */
export const FED = ["-probesize", "32", "-analyzeduration", "0", "-f", "matroska", "-i", "pipe:0"];

/**
 * An ffmpeg that is asked for its cost at its end. A shell is its parent: a process begins with the memory of its parent as
 * its most, and a shell has little.
 */
export function spawnFfmpeg(args: readonly string[], nice = NICE): Deno.ChildProcess {
  const command = `nice -n ${nice} ffmpeg -hide_banner -nostats -y -benchmark "$@"; exit $?`;
  return new Deno.Command("sh", {
    args: ["-c", command, "sh", ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** What it took. @param said all it printed. */
export function costOf(said: string): Cost {
  const [, user, system] = /bench: utime=([\d.]+)s stime=([\d.]+)s/.exec(said) ?? [];
  const [, kib] = /bench: maxrss=\s*(\d+)/.exec(said) ?? [];
  if (user === undefined || kib === undefined) throw new Error(`ffmpeg failed: ${said.slice(-2000)}`);
  return { cpu: Number(user) + Number(system), mib: Number(kib) / 1024 };
}

/** Runs one that writes no pictures to its output. */
export async function ffmpeg(args: readonly string[], fed?: Fed, nice?: number): Promise<Cost> {
  const child = spawnFfmpeg(args, nice);
  const said = new Response(child.stderr).text();
  const silent = child.stdout.cancel();
  // ffmpeg that ends early says why
  if (fed) await feed(fed.path, fed.shown, child.stdin).catch(() => {});
  else await child.stdin.close();
  const { success } = await child.status;
  await silent;
  const text = await said;
  if (!success) throw new Error(`ffmpeg failed: ${text.slice(-2000)}`);
  return costOf(text);
}

export interface Packet {
  /** When it is shown, in seconds. */
  time: number;
  bytes: number;
}

/** The coded pictures of a file. */
export async function packetsOf(path: string): Promise<Packet[]> {
  const { stdout } = await new Deno.Command("ffprobe", {
    args: ["-v", "error", "-show_entries", "packet=pts_time,size", "-of", "csv=p=0", path],
  }).output();
  return new TextDecoder().decode(stdout).trim().split("\n").filter(Boolean).map((line) => {
    const [time, bytes] = line.split(",").map(Number);
    return { time, bytes };
  });
}
