/** Processes of ours that outlived their supervisor: found by a marker or their user, never by their name. */
import { run } from "./process.ts";
import { allPids, processEntry } from "./process_table.ts";
import { sleep } from "../tools/time.ts";
import { commandAs, numberedUser, processUsers } from "./users.ts";

/** The environment variable that marks every process below `up` with its run directory. */
export const RUN_MARKER = "BROWSER_STREAM_RUN";

/** The pids of processes that carry the run directory's marker, or work in it (nginx, which overwrites its environment). */
export function processesOfRun(runDir: string): number[] {
  return allPids().filter((pid) => pid !== Deno.pid && isOfRun(runDir, pid));
}

/** Whether `processesOfRun` contains a process. */
export function isOfRun(runDir: string, pid: number): boolean {
  try {
    const environment = Deno.readTextFileSync(`/proc/${pid}/environ`);
    return environment.split("\0").includes(`${RUN_MARKER}=${runDir}`) || isNginxBelow(runDir, pid);
  } catch {
    return false; // a process that ended, or another user's
  }
}

/** Whether a process is an nginx that works in the folder, or below it. @throws {Error} when we may not look. */
function isNginxBelow(folder: string, pid: number): boolean {
  return Deno.readTextFileSync(`/proc/${pid}/comm`).trim() === "nginx" &&
    (Deno.readLinkSync(`/proc/${pid}/cwd`) + "/").startsWith(`${folder}/`);
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
 * hard kill). Returns the number of marked processes.
 */
export async function killOrphans(runDir: string, graceMs: number): Promise<number> {
  const pids = processesOfRun(runDir);
  for (const pid of pids) kill(pid, "SIGCONT");
  for (const pid of pids) kill(pid, "SIGTERM");
  const deadline = performance.now() + graceMs;
  while (processesOfRun(runDir).length > 0 && performance.now() < deadline) {
    await sleep(50);
  }
  for (const pid of processesOfRun(runDir)) kill(pid, "SIGKILL");
  const dead = performance.now() + 1000;
  while (processesOfRun(runDir).length > 0 && performance.now() < dead) {
    await sleep(20);
  }
  return pids.length;
}

/** Milliseconds for the processes of one user to end, and for one try. */
const USER_MS = 1000;

/**
 * Ends all processes of a user, as root. A process of that user asks the kernel, which does it in one step: a process
 * that changes its pid, or starts children, faster than a search finds them ends as well.
 * @param uid of a user that runs nothing else on this machine. @returns false when a process does not end in a second.
 */
export async function endUser(uid: number): Promise<boolean> {
  if (uid === 0 || uid === Deno.uid()) throw new Error(`user ${uid} is our own`);
  const argv = commandAs(numberedUser(uid), ["/bin/sh", "-c", "kill -KILL -1"]);
  for (const deadline = performance.now() + USER_MS;;) {
    // the shell may be killed meanwhile, by a process that it came to kill
    await run(argv, { timeoutMs: USER_MS, clearEnv: true, cwd: "/", maxOutput: 4096 }).catch(() => {});
    const left = [...processUsers()].filter(({ pid, uids }) => uids.includes(uid) && !hasEnded(pid));
    if (left.length === 0) return true;
    if (performance.now() > deadline) return false;
    for (const { pid } of left) kill(pid, "SIGKILL");
    await sleep(10);
  }
}

/** Whether a process has ended, though its parent may not have seen it yet. */
function hasEnded(pid: number): boolean {
  return (processEntry(pid)?.state ?? "Z") === "Z";
}

/** Ends marked processes with this word on their command line at once, such as the children of a killed process. */
export function killByCommand(runDir: string, word: string): void {
  for (const pid of processesOfRun(runDir)) {
    try {
      if (Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0").includes(word)) kill(pid, "SIGKILL");
    } catch {
      // ended meanwhile
    }
  }
}

/** Ends the nginx that works in the folder: workers keep the ports of a killed master. */
export function killNginx(folder: string): void {
  for (const pid of allPids()) {
    try {
      if (isNginxBelow(folder, pid)) kill(pid, "SIGKILL");
    } catch {
      // ended meanwhile, or another user's
    }
  }
}
