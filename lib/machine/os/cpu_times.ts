/** The work of the processors that we may run on, since the machine's start. Every user may read it. */

export interface CpuTimes {
  /** Processors that we may run on: all of the machine's, or the processors of a container's cpuset. */
  cores: number;
  /** Processors of the machine. */
  machineCores: number;
  /** Ticks of the kernel, of all `cores` together: `busy` at work or taken by the host, `total` in all. */
  busy: number;
  total: number;
}

export async function cpuTimes(): Promise<CpuTimes> {
  return parseCpuTimes(
    await Deno.readTextFile("/proc/stat"),
    await Deno.readTextFile("/proc/self/status").catch(() => ""),
  );
}

/**
 * Not `navigator.hardwareConcurrency`, which is a container's limit of time already, rounded down.
 * Source: proc_stat(5): user, nice, system, idle, iowait, irq, softirq and steal; guests' time is in user's.
 * @param stat /proc/stat. @param status /proc/self/status.
 * @throws {Error} when `stat` is no such file's text.
 */
export function parseCpuTimes(stat: string, status = ""): CpuTimes {
  const lines = [...stat.matchAll(/^cpu(\d*) +((?:\d+ ?)+)$/gm)].map(([, number, ticks]) => ({
    number,
    ticks: ticks.trim().split(/ +/).slice(0, 8).map(Number),
  })).filter(({ ticks }) => ticks.length >= 4);
  const all = lines.find(({ number }) => number === "");
  if (!all) throw new Error("/proc/stat does not tell how busy the processors are");
  const each = lines.filter(({ number }) => number !== "");
  const allowed = allowedProcessors(status);
  // a file that shows no more than that is a container's own (lxcfs), with numbers of its own
  const own = each.length > allowed.size ? each.filter(({ number }) => allowed.has(Number(number))) : [];
  const machineCores = Math.max(1, each.length);
  const times = (own.length > 0 ? own : [all]).map(({ ticks }) => ticks);
  const total = sum(times.flat());
  const idle = sum(times.map(([, , , idle, waiting = 0]) => idle + waiting));
  return { cores: own.length || machineCores, machineCores, busy: total - idle, total };
}

/** The processors of a container's cpuset, or of an affinity. Source: proc_pid_status(5), cpuset(7) "List format" */
function allowedProcessors(status: string): Set<number> {
  const [, list = ""] = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(status) ?? [];
  return new Set(
    list.split(",").filter(Boolean).flatMap((range) => {
      const [first, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    }),
  );
}

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);

/** Cores that were busy between two readings, on average; null: no time is between the readings. */
export function busyCores(before: CpuTimes, after: CpuTimes): number | null {
  const total = after.total - before.total;
  return total > 0 ? after.cores * (after.busy - before.busy) / total : null;
}
