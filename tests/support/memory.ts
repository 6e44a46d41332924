/** Resident memory of a process, in MiB; 0 of one that has ended. */
export function residentMiB(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/**
 * Memory that a process has made, in MiB, what it shares of it divided among those who do; 0 of one that has ended. Pages of
 * files are left out: how many are a process' own differs with how many others of the same program run.
 */
export function ownMiB(pid: number): number {
  try {
    const rollup = Deno.readTextFileSync(`/proc/${pid}/smaps_rollup`);
    const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(rollup)![1]);
    return (kib("Pss_Anon") + kib("Pss_Shmem") + kib("SwapPss")) / 1024;
  } catch {
    return 0;
  }
}
