/** The kernel's table of processes: their parents, groups and states. */
import { Turn } from "../tools/turns.ts";

export interface ProcessEntry {
  parent: number;
  /** The process group: the pid of its first process. */
  group: number;
  /** "T": the process was stopped by a signal; "Z": it has ended. Source: proc_pid_stat(5) */
  state: string;
}

/** A process's line in /proc; null: the text is no such line. A process itself chooses its name in the brackets. */
export function parseStat(text: string): ProcessEntry | null {
  const [, state, parent, group] = /^[^]*\) (\S) (\d+) (\d+) /.exec(text) ?? [];
  return state === undefined ? null : { parent: Number(parent), group: Number(group), state };
}

/** Milliseconds after which other work has its turn while all processes are read. */
const TURN_MS = 2;

/**
 * Reads a file of each process. The reads are synchronous, with turns for other work: an asynchronous read wakes
 * another thread for each file, which took ten times as long. @param read is not called for a process that has ended.
 */
export async function readProcesses(
  file: "stat" | "status",
  read: (pid: number, text: string) => void,
): Promise<void> {
  const turn = new Turn(TURN_MS);
  for (const pid of allPids()) {
    let text: string;
    try {
      text = Deno.readTextFileSync(`/proc/${pid}/${file}`);
    } catch {
      continue;
    }
    read(pid, text);
    await turn.pause();
  }
}

/** The pids of all processes. */
export function allPids(): number[] {
  return Array.from(Deno.readDirSync("/proc"), ({ name }) => Number(name)).filter(Number.isInteger);
}

/** All processes by their pids. */
export function allProcesses(): Map<number, ProcessEntry> {
  const found = new Map<number, ProcessEntry>();
  for (const pid of allPids()) {
    const entry = processEntry(pid);
    if (entry) found.set(pid, entry);
  }
  return found;
}

/** One process; null if it has ended. */
export function processEntry(pid: number): ProcessEntry | null {
  try {
    return parseStat(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return null;
  }
}

/** Each of these processes with all below it. @param table all processes by their pids. */
export function treesOf(
  pids: readonly number[],
  table: ReadonlyMap<number, { parent: number }>,
): Map<number, number[]> {
  const below = new Map<number, number[]>();
  for (const [pid, { parent }] of table) below.set(parent, [...below.get(parent) ?? [], pid]);
  return new Map(pids.map((pid) => {
    const tree = [pid];
    for (const one of tree) tree.push(...below.get(one) ?? []);
    return [pid, tree];
  }));
}

/** The child of `top` that is a process or its ancestor; null: `top` is no ancestor of the process. */
export function branchOf(table: ReadonlyMap<number, ProcessEntry>, pid: number, top: number): number | null {
  for (let at = pid;;) {
    const parent = table.get(at)?.parent;
    if (!parent) return null;
    if (parent === top) return at;
    at = parent;
  }
}
