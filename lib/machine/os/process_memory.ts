/** The memory of processes together with their descendants, from /proc. */
import { readProcesses, treesOf } from "./process_table.ts";

/**
 * Bytes of each of these processes and of all below it: the process's own pages, its swapped pages, and the shared
 * memory that it maps. Every user may read these; only root may read the proportional share (PSS). Shared memory that
 * several processes map counts once, by the process that maps most.
 */
export async function memoryOfTrees(pids: readonly number[]): Promise<Map<number, number>> {
  const found = new Map<number, { parent: number; own: number; shared: number }>();
  await readProcesses("status", (pid, status) => {
    // a thread of the kernel, or a process that has ended, has no memory
    if (!status.includes("RssAnon:")) return;
    const own = (field(status, "RssAnon") + field(status, "VmSwap")) * 1024;
    found.set(pid, { parent: field(status, "PPid"), own, shared: field(status, "RssShmem") * 1024 });
  });
  return new Map(Array.from(treesOf(pids, found), ([pid, tree]) => {
    const known = tree.flatMap((one) => found.get(one) ?? []);
    const own = known.reduce((sum, one) => sum + one.own, 0);
    return [pid, own + Math.max(0, ...known.map(({ shared }) => shared))];
  }));
}

/** The number in a line of /proc/PID/status; 0: there is no such line. */
function field(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
}
