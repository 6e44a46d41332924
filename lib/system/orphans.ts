/** Processes of ours that outlived their supervisor: found by a marker, never by their name. */
import { sleep } from "./time.ts";

/** The environment variable that marks every process below `up` with its run directory. */
export const RUN_MARKER = "BROWSER_STREAM_RUN";

/** The pids of processes that carry the run directory's marker, or work in it (nginx, which overwrites its environment). */
export function processesOfRun(runDir: string): number[] {
  const pids: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === Deno.pid) continue;
    try {
      const environment = Deno.readTextFileSync(`/proc/${pid}/environ`);
      const marked = environment.split("\0").includes(`${RUN_MARKER}=${runDir}`);
      const isNginx = Deno.readTextFileSync(`/proc/${pid}/comm`).trim() === "nginx";
      const isInside = isNginx && (Deno.readLinkSync(`/proc/${pid}/cwd`) + "/").startsWith(`${runDir}/`);
      if (marked || isInside) pids.push(pid);
    } catch {
      // a process that ended, or another user's
    }
  }
  return pids;
}

/** Sends a signal to a process, if it is still there. */
export function kill(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch {
    // ended meanwhile
  }
}

/**
 * Ends every marked process: SIGTERM, then SIGKILL after `graceMs` (Chromium's profile does not like a
 * hard kill). Returns how many there were.
 */
export async function killOrphans(runDir: string, graceMs: number): Promise<number> {
  const pids = processesOfRun(runDir);
  for (const pid of pids) kill(pid, "SIGCONT");
  for (const pid of pids) kill(pid, "SIGTERM");
  const deadline = Date.now() + graceMs;
  while (processesOfRun(runDir).length > 0 && Date.now() < deadline) {
    await sleep(50);
  }
  for (const pid of processesOfRun(runDir)) kill(pid, "SIGKILL");
  const dead = Date.now() + 1000;
  while (processesOfRun(runDir).length > 0 && Date.now() < dead) {
    await sleep(20);
  }
  return pids.length;
}

/** Ends marked processes with this word on their command line at once, such as the children of one that was killed. */
export function killByCommand(runDir: string, word: string): void {
  for (const pid of processesOfRun(runDir)) {
    try {
      if (Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0").includes(word)) kill(pid, "SIGKILL");
    } catch {
      // ended meanwhile
    }
  }
}
