/** Memory limits for groups of processes, by cgroups of version 2 or 1: only where they can be written. */
import { join } from "node:path";
import { readOrNull } from "./files.ts";
import { kill } from "./orphans.ts";
import { sleep } from "../tools/time.ts";

/** The group of the capture program, which all streams share; no stream has this id. */
export const CAPTURE_GROUP = "capture:";

/** The folder of the kernel's cgroups. Tests have their own folder. */
const MOUNT = "/sys/fs/cgroup";

/** The folders that a group of ours can be made in, the best first, and the name of the file with the limit. */
async function parents(mount: string): Promise<{ folder: string; limitFile: string }[]> {
  const controllers = await readOrNull(join(mount, "cgroup.controllers")).catch(() => null);
  if (controllers !== null) return [{ folder: mount, limitFile: "memory.max" }];
  const own = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(await readOrNull("/proc/self/cgroup") ?? "")
    ?.[1];
  // in a container the path may be the host's, and the mount already the container's own part
  return [join(mount, "memory", own ?? ""), join(mount, "memory")].map((folder) => ({
    folder,
    limitFile: "memory.limit_in_bytes",
  }));
}

/** Makes a folder, but not the folders above it: where the kernel has no groups, ours would be no group. */
async function makeGroup(path: string): Promise<void> {
  try {
    await Deno.mkdir(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

export class MemoryGroups {
  #folder: string;
  #limitFile: string;
  /** The limits that were set, in bytes, by the groups' names. */
  #limits = new Map<string, number>();

  private constructor(folder: string, limitFile: string) {
    this.#folder = folder;
    this.#limitFile = limitFile;
  }

  /** Makes the service's group of groups. @returns null where cgroups with memory limits cannot be written. */
  static async make(service: string, mount = MOUNT): Promise<MemoryGroups | null> {
    for (const { folder, limitFile } of await parents(mount)) {
      try {
        const ours = join(folder, service);
        await makeGroup(ours);
        if (limitFile === "memory.max") {
          for (const at of [folder, ours]) {
            await Deno.writeTextFile(join(at, "cgroup.subtree_control"), "+memory");
          }
        }
        const groups = new MemoryGroups(ours, limitFile);
        await groups.limit("probe", 64); // the folder alone proves nothing
        await groups.remove("probe");
        return groups;
      } catch {
        for (const group of ["probe", ""]) await Deno.remove(join(folder, service, group)).catch(() => {});
      }
    }
    return null;
  }

  /** The groups that `make` made. @returns null if there are none. */
  static async find(service: string, mount = MOUNT): Promise<MemoryGroups | null> {
    for (const { folder, limitFile } of await parents(mount)) {
      const ours = join(folder, service);
      if ((await Deno.lstat(ours).catch(() => null))?.isDirectory) return new MemoryGroups(ours, limitFile);
    }
    return null;
  }

  /** Makes a group, or changes its limit. @throws {Error} when the limit cannot be written, or is not what was written. */
  async limit(name: string, megabytes: number): Promise<void> {
    await makeGroup(join(this.#folder, name));
    await this.#write(name, megabytes * 1024 * 1024);
  }

  async #write(name: string, bytes: number): Promise<void> {
    await Deno.writeTextFile(this.#limitPath(name), String(bytes), { create: false });
    if (await this.#limitOf(name) !== bytes) {
      throw new Error(`the kernel has another limit than ${bytes} bytes`);
    }
    this.#limits.set(name, bytes);
  }

  /** The limit in bytes that the kernel has; null: there is no such group. */
  async #limitOf(name: string): Promise<number | null> {
    const text = await readOrNull(this.#limitPath(name));
    return text === null ? null : Number(text);
  }

  #limitPath(name: string): string {
    return join(this.#folder, name, this.#limitFile);
  }

  /**
   * Sets limits again that somebody else has changed. A group that was removed is made again, for what joins it from
   * then on. @returns whether there were any. @throws {Error} when a limit cannot be set.
   */
  async look(): Promise<boolean> {
    let isUndone = false;
    for (const [name, bytes] of [...this.#limits]) {
      if (await this.#limitOf(name) === bytes || !this.#limits.has(name)) continue;
      isUndone = true;
      await makeGroup(join(this.#folder, name));
      await this.#write(name, bytes);
    }
    return isUndone;
  }

  /** Puts this process and its future children into a group. @throws {Error} when there is no such group. */
  async join(name: string): Promise<void> {
    const file = join(this.#folder, name, "cgroup.procs");
    await Deno.writeTextFile(file, String(Deno.pid), { create: false });
  }

  /** Removes a group and ends its processes; a missing group is fine. */
  async remove(name: string): Promise<void> {
    const TRIES = 10;
    this.#limits.delete(name);
    const group = join(this.#folder, name);
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const pids = await Deno.readTextFile(join(group, "cgroup.procs")).catch(() => "");
      // since Linux 5.14 all processes at once, with the children that they start meanwhile
      const isEnding = await Deno.writeTextFile(join(group, "cgroup.kill"), "1", { create: false }).then(
        () => true,
        () => false,
      );
      if (!isEnding) { for (const pid of pids.split("\n").filter(Boolean)) kill(Number(pid), "SIGKILL"); }
      const isGone = await Deno.remove(group).then(
        () => true,
        (error) => error instanceof Deno.errors.NotFound,
      );
      if (isGone || pids === "") return;
      await sleep(20);
    }
  }

  /** Removes all groups, and their parent group. */
  async removeAll(): Promise<void> {
    for await (const { name, isDirectory } of Deno.readDir(this.#folder)) {
      if (isDirectory) await this.remove(name);
    }
    await Deno.remove(this.#folder).catch(() => {});
  }
}
