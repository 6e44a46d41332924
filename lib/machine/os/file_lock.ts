/** Owners of file locks. */

/** The process that has a lock on the file or folder, or null. Source: proc_locks(5). */
export async function lockOwner(path: string): Promise<number | null> {
  const info = await Deno.stat(path);
  for (const line of (await Deno.readTextFile("/proc/locks")).split("\n")) {
    const [, kind, , , pid, file] = line.split(/\s+/);
    if (kind === "FLOCK" && file?.endsWith(`:${info.ino}`) && await hasOpen(Number(pid), info)) {
      return Number(pid);
    }
  }
  return null;
}

/** Whether a process has the file open: another disk may have a file of the same number. True where we may not look. */
async function hasOpen(pid: number, { ino, dev }: Deno.FileInfo): Promise<boolean> {
  try {
    for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
      const info = await Deno.stat(`/proc/${pid}/fd/${name}`).catch(() => null);
      if (info?.ino === ino && info.dev === dev) return true;
    }
    return false;
  } catch (error) {
    return error instanceof Deno.errors.PermissionDenied;
  }
}
