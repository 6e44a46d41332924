/** The work of the machine's processors since its start. Every user may read it. */

export interface CpuTimes {
  /** Processors of the machine, which may be more than we may use. */
  cores: number;
  /** Ticks of the kernel, of all processors together: `busy` at work or taken by the host, `total` in all. */
  busy: number;
  total: number;
}

export async function cpuTimes(): Promise<CpuTimes> {
  return parseCpuTimes(await Deno.readTextFile("/proc/stat"));
}

/**
 * Source: proc_stat(5): user, nice, system, idle, iowait, irq, softirq and steal; guests' time is in user's.
 * @throws {Error} when the text is no such file's.
 */
export function parseCpuTimes(stat: string): CpuTimes {
  const all = /^cpu +((?:\d+ ?)+)$/m.exec(stat)?.[1].trim().split(/ +/).slice(0, 8).map(Number) ?? [];
  if (all.length < 4) throw new Error("/proc/stat does not tell how busy the processors are");
  const total = all.reduce((sum, ticks) => sum + ticks, 0);
  const [, , , idle, waiting = 0] = all;
  return { cores: stat.match(/^cpu\d+ /gm)?.length ?? 1, busy: total - idle - waiting, total };
}

/** Cores that were busy between two readings, on average; null: no time is between the readings. */
export function busyCores(before: CpuTimes, after: CpuTimes): number | null {
  const total = after.total - before.total;
  return total > 0 ? after.cores * (after.busy - before.busy) / total : null;
}
