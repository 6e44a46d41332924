/** The supervisor's programs as the kernel knows them: a supervisord that is busy, or hangs, need not answer. */
import { allProcesses } from "../os/process_table.ts";

/** The variable with a program's name, which supervisord sets. Source: http://supervisord.org/subprocess.html */
const PROGRAM_NAME = "SUPERVISOR_PROCESS_NAME";

/** A program that runs; its process group has the same number as its pid. */
export interface RunningProgram {
  /** The supervisor's name; the kernel's for a process that became another program, such as "chromium". */
  name: string;
  pid: number;
}

/** The running programs that the supervisor started. */
export function runningPrograms(supervisord: number): RunningProgram[] {
  return [...allProcesses()]
    .filter(([pid, { parent, group, state }]) => parent === supervisord && group === pid && state !== "Z")
    .flatMap(([pid]) => {
      const name = programName(pid);
      return name === null ? [] : [{ name, pid }];
    });
}

function programName(pid: number): string | null {
  try {
    const variables = Deno.readTextFileSync(`/proc/${pid}/environ`).split("\0");
    const own = variables.find((one) => one.startsWith(`${PROGRAM_NAME}=`));
    return own?.slice(PROGRAM_NAME.length + 1) ?? Deno.readTextFileSync(`/proc/${pid}/comm`).trim();
  } catch {
    return null; // ended meanwhile
  }
}
