/** Limits of a container or a service beside memory: processors' time, and the number of tasks. */

/** Room for tasks: each process and each thread is a task. */
export interface TaskRoom {
  most: number;
  used: number;
}

export interface GroupLimits {
  /** Cores' worth of time that we may have; null: there is no limit. */
  cores: number | null;
  /** The nearest limit; null: there is no limit. */
  tasks: TaskRoom | null;
}

/** The folder with the groups. */
export const MOUNT = "/sys/fs/cgroup";

/**
 * The limits of our own group of processes and of all visible groups above it: in a container, of the mounted group.
 * Source: Documentation/admin-guide/cgroup-v2.rst, scheduler/sched-bwc.rst and cgroup-v1/pids.rst of Linux.
 * @param own the text of /proc/self/cgroup.
 */
export async function groupLimits(own: string, mount = MOUNT): Promise<GroupLimits> {
  const cores: number[] = [];
  const tasks: TaskRoom[] = [];
  for (const folder of [...groupFolders(own, "cpu", mount), ...groupFolders(own, null, mount)]) {
    const [quota, period] = await quotaOf(folder);
    if (quota > 0 && period > 0) cores.push(quota / period);
  }
  for (const folder of [...groupFolders(own, "pids", mount), ...groupFolders(own, null, mount)]) {
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

/** The folders of our group and of the groups above it. @param controller of version 1; null: version 2. */
export function groupFolders(own: string, controller: string | null, mount: string): string[] {
  const path = groupPath(own, controller);
  if (path === undefined) return [];
  const top = controller === null ? mount : `${mount}/${controller}`;
  const names = path.split("/").filter((name) => name !== "" && name !== "..");
  return [...names.map((_, at) => `${top}/${names.slice(0, at + 1).join("/")}`), top];
}

/**
 * The path of our group below a mount, as /proc/self/cgroup names it; undefined: there is no group.
 * @param controller of version 1; null: version 2.
 */
export function groupPath(own: string, controller: string | null): string | undefined {
  const line = controller === null
    ? /^0::(\/.*)$/m
    : new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(\\/.*)$`, "m");
  return line.exec(own)?.[1];
}

/** The number in a file's text; 0: the text is "max", "-1" or missing. */
function numberOf(text: string): number {
  return /^\d+\s*$/.test(text) ? Number(text) : 0;
}

/** A file's text; "": the file is missing, or we may not read it. */
export function read(path: string): Promise<string> {
  return Deno.readTextFile(path).then((text) => text.trim(), () => "");
}
