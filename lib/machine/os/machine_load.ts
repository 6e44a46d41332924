/** The load of the machine, or of the container with its limits. Every user may read it. */
import { cpuTimes } from "./cpu_times.ts";
import { groupFolders, groupLimits, MOUNT, read, type TaskRoom } from "./group_limits.ts";

export interface MachineLoad {
  /** Cores' worth of time that we may have: a container's limit, else `processors`. */
  cores: number;
  /** Processors that we may run on: those of a container's cpuset, else all. */
  processors: number;
  /** Processors of the machine. */
  machineCores: number;
  /** The limit of processes and threads; null: there is no limit. */
  tasks: TaskRoom | null;
  /** Processes that run or are ready to run, on average over 1, 5 and 15 minutes. */
  load: readonly number[];
  memory: MachineMemory;
  /** Memory of the machine; `memory` has less in a container with a limit. */
  machineBytes: number;
}

export interface MachineMemory {
  totalBytes: number;
  /** Memory that programs can get without a loss for other programs. */
  availableBytes: number;
}

/** The files of a group of processes that has a memory limit. */
interface GroupFiles {
  limit: string;
  used: string;
  stat: string;
  /** The line of `stat` with the memory that the kernel gives back at once: files without a recent reader. */
  cached: string;
}

/** Source: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst */
const VERSION_2 = {
  limit: "memory.max",
  used: "memory.current",
  stat: "memory.stat",
  cached: "inactive_file",
};
const VERSION_1 = {
  limit: "memory.limit_in_bytes",
  used: "memory.usage_in_bytes",
  stat: "memory.stat",
  cached: "total_inactive_file",
};

export async function machineLoad(): Promise<MachineLoad> {
  const own = await read("/proc/self/cgroup");
  const groups = await Promise.all(groupFiles(own).map(readGroup));
  const { cores, tasks } = await groupLimits(own);
  const machine = parseMemory(await read("/proc/meminfo"));
  const all = navigator.hardwareConcurrency; // where /proc is hidden from us
  const { cores: processors, machineCores } = await cpuTimes().catch(() => ({
    cores: all,
    machineCores: all,
  }));
  return {
    cores: Math.min(cores ?? processors, processors),
    processors,
    machineCores,
    tasks,
    load: Deno.loadavg(),
    memory: memoryWithin(machine, groups.filter((one) => one !== null)),
    machineBytes: machine.totalBytes,
  };
}

/** Source: proc_meminfo(5) */
export function parseMemory(info: string): MachineMemory {
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(info)?.[1] ?? 0) * 1024;
  return { totalBytes: bytes("MemTotal"), availableBytes: bytes("MemAvailable") };
}

/** The machine's memory as far as the limits of our groups let us have it. Pure. */
export function memoryWithin(
  machine: MachineMemory,
  groups: readonly { limitBytes: number; usedBytes: number }[],
): MachineMemory {
  return groups.filter(({ limitBytes }) => limitBytes < machine.totalBytes).reduce(
    (memory, { limitBytes, usedBytes }) => ({
      totalBytes: Math.min(memory.totalBytes, limitBytes),
      availableBytes: Math.min(memory.availableBytes, Math.max(0, limitBytes - usedBytes)),
    }),
    machine,
  );
}

/** The files of our own group and of all visible groups above it. @param own /proc/self/cgroup's text. */
export function groupFiles(own: string, mount = MOUNT): GroupFiles[] {
  const all = [
    ...groupFolders(own, null, mount).map((folder) => [VERSION_2, folder] as const),
    ...groupFolders(own, "memory", mount).map((folder) => [VERSION_1, folder] as const),
  ];
  const byLimit = new Map(all.map(([names, folder]) => {
    const at = (name: string) => `${folder.replace(/\/$/, "")}/${name}`;
    const files = {
      limit: at(names.limit),
      used: at(names.used),
      stat: at(names.stat),
      cached: names.cached,
    };
    return [files.limit, files];
  }));
  return [...byLimit.values()];
}

/** Null: there is no such group, or no limit. */
async function readGroup(files: GroupFiles): Promise<{ limitBytes: number; usedBytes: number } | null> {
  const limit = await read(files.limit);
  if (!/^\d+\s*$/.test(limit)) return null; // "max"
  const cached = new RegExp(`^${files.cached} (\\d+)`, "m").exec(await read(files.stat))?.[1] ?? "0";
  return { limitBytes: Number(limit), usedBytes: Number(await read(files.used)) - Number(cached) };
}
