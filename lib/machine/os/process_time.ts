/** The processor time of processes together with their descendants, from /proc. */
import { readProcesses, treesOf } from "./process_table.ts";

/** Ticks of a second: the kernel's USER_HZ, which is 100 on every machine that Debian runs on. */
const TICKS = 100;

interface Times {
  parent: number;
  ticks: number;
}

/**
 * Milliseconds on a processor of each of these processes and of all below it. The time of ended children that were
 * waited for is included, so that the sum does not fall. Every user may read it.
 */
export async function processorTimes(pids: readonly number[]): Promise<Map<number, number>> {
  const found = new Map<number, Times>();
  await readProcesses("stat", (pid, stat) => {
    const times = parseTimes(stat);
    if (times) found.set(pid, times);
  });
  const known = pids.filter((pid) => found.has(pid));
  return new Map(Array.from(treesOf(known, found), ([pid, tree]) => {
    const ticks = tree.reduce((sum, one) => sum + found.get(one)!.ticks, 0);
    return [pid, ticks * 1000 / TICKS];
  }));
}

/** Source: proc_pid_stat(5), fields 4 and 14 to 17. A process chooses its name, which stands in brackets, itself. */
export function parseTimes(stat: string): Times | null {
  const fields = stat.slice(stat.lastIndexOf(") ") + 2).split(" ").map(Number);
  const [, parent] = fields;
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + field, 0);
  return stat.includes(") ") && Number.isFinite(parent + ticks) ? { parent, ticks } : null;
}
