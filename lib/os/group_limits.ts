/** What else than memory may be limited for a container or a service: processors' time, and how many tasks there are. */

/** Processes and threads: each counts. */
export interface TaskRoom {
  most: number;
  used: number;
}

export interface GroupLimits {
  /** Cores' worth of time that we may have; null: as many as there are. */
  cores: number | null;
  /** The limit that is nearest; null: there is none. */
  tasks: TaskRoom | null;
}

/** Where the groups are. */
export const MOUNT = "/sys/fs/cgroup";

/**
 * The limits of our own group of processes and of all above it that we see: in a container, of the one that is mounted.
 * Source: Documentation/admin-guide/cgroup-v2.rst, scheduler/sched-bwc.rst and cgroup-v1/pids.rst of Linux.
 * @param own the text of /proc/self/cgroup.
 */
export async function groupLimits(own: string, mount = MOUNT): Promise<GroupLimits> {
  const cores: number[] = [];
  const tasks: TaskRoom[] = [];
  for (const folder of [...folders(own, "cpu", mount), ...folders(own, null, mount)]) {
    const [quota, period] = await quotaOf(folder);
    if (quota > 0 && period > 0) cores.push(quota / period);
  }
  for (const folder of [...folders(own, "pids", mount), ...folders(own, null, mount)]) {
    const [most, used] = [await read(`${folder}/pids.max`), await read(`${folder}/pids.current`)].map(
      numberOf,
    );
    if (most > 0) tasks.push({ most, used });
  }
  tasks.sort((one, other) => one.most - one.used - (other.most - other.used));
  return { cores: cores.length > 0 ? Math.min(...cores) : null, tasks: tasks[0] ?? null };
}

/** Microseconds that the group may run in each period; 0: no limit. */
async function quotaOf(folder: string): Promise<[quota: number, period: number]> {
  const unified = await read(`${folder}/cpu.max`);
  const files = unified !== ""
    ? unified.split(" ")
    : [await read(`${folder}/cpu.cfs_quota_us`), await read(`${folder}/cpu.cfs_period_us`)];
  const [quota, period] = files.map(numberOf);
  return [quota, period];
}

/** The folders of our group and those above it. @param controller of version 1; null: version 2. */
function folders(own: string, controller: string | null, mount: string): string[] {
  const path = groupPath(own, controller);
  if (path === undefined) return [];
  const top = controller === null ? mount : `${mount}/${controller}`;
  const names = path.split("/").filter((name) => name !== "" && name !== "..");
  return [...names.map((_, at) => `${top}/${names.slice(0, at + 1).join("/")}`), top];
}

/**
 * The path of our group below a mount, as /proc/self/cgroup tells it; undefined: there is none.
 * @param controller of version 1; null: version 2.
 */
export function groupPath(own: string, controller: string | null): string | undefined {
  const line = controller === null
    ? /^0::(\/.*)$/m
    : new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(\\/.*)$`, "m");
  return line.exec(own)?.[1];
}

/** A number of a file; 0 for "max", -1 and what is missing. */
function numberOf(text: string): number {
  return /^\d+\s*$/.test(text) ? Number(text) : 0;
}

/** A file's text; "" of one that is missing or not for us. */
export function read(path: string): Promise<string> {
  return Deno.readTextFile(path).then((text) => text.trim(), () => "");
}
