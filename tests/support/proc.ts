/** What the kernel tells of a process. */

/** A file of a process's below /proc; "" of one that has ended. */
export function procFile(pid: number, name: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${name}`);
  } catch {
    return "";
  }
}

/** A process's command line with blanks between its words; "" of one that has ended. */
export function commandLine(pid: number): string {
  return procFile(pid, "cmdline").replaceAll("\0", " ").trim();
}

/** A process's environment, as it was started; "" of one that has ended. */
export function environment(pid: number): string {
  return procFile(pid, "environ");
}

/** Whether a process belongs to root; one that has ended does not. */
export function isRoot(pid: number): boolean {
  return /^Uid:.*\s0\s/m.test(procFile(pid, "status"));
}

/** The files that a process has open at this moment, beside its standard ones. */
export function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return [...Deno.readDirSync(folder)].filter(({ name }) => Number(name) > 2).flatMap(({ name }) => {
    try {
      return [Deno.readLinkSync(`${folder}/${name}`)];
    } catch {
      return []; // it was closed meanwhile
    }
  });
}

/** The processes that a process has started, and that have not ended. */
export function childrenOf(pid: number): number[] {
  return Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim().split(" ").filter(Boolean).map(
    Number,
  );
}

/** How far a process gives way to others where processors are short: -20 to 19. Source: proc_pid_stat(5), "nice". */
export function niceness(pid: number): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
}

/** When a process began, in the kernel's ticks; null: it has ended. A number with another beginning is another process. */
export function startOf(pid: number): number | null {
  const stat = procFile(pid, "stat");
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" || state === "Z" ? null : Number(fields[18]);
}

/** What a process has taken of the processor until now. */
export function cpuSeconds(pid: number): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const [user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(11, 13).map(Number);
  return (user + system) / TICKS_PER_SECOND;
}

/** Linux has told programs this one on every architecture for twenty years. */
const TICKS_PER_SECOND = 100;
