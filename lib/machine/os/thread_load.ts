/** The load of a process's threads, by counts of the kernel that every user may read. */

/** Nanoseconds that each thread has run or waited for a processor, by its number. */
export type ThreadTimes = ReadonlyMap<string, number>;

/**
 * Reads the threads' times; an empty map: the process is gone, or the kernel does not count. The reads
 * are synchronous: an asynchronous read would wake another thread for each of some ten files.
 */
export function threadTimes(pid: number): ThreadTimes {
  const times = new Map<string, number>();
  try {
    for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
      // time on a processor, time in the queue for one, number of turns (Documentation/scheduler/sched-stats.rst)
      const text = Deno.readTextFileSync(`/proc/${pid}/task/${name}/schedstat`);
      const [ran, waited] = text.split(" ").map(Number);
      if (Number.isFinite(ran + waited)) times.set(name, ran + waited);
    }
  } catch {
    return new Map();
  }
  return times;
}

/** The part of the time, 0 to 1, in which the busiest thread had work. @param elapsedMs between the two readings. */
export function busiestThread(before: ThreadTimes, after: ThreadTimes, elapsedMs: number): number {
  const parts = [...after].map(([thread, time]) => (time - (before.get(thread) ?? time)) / (elapsedMs * 1e6));
  return Math.min(1, Math.max(0, ...parts));
}
