/** Whether the service works, for a container's engine or a monitor that restarts or replaces a broken service. */
import { isAlive } from "../model/programs.ts";
import type { Program } from "../machine/supervisor/status.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { SHARED_NAMES, SHARED_PROGRAMS } from "../live/programs/shared_words.ts";

export interface ServiceHealthParts {
  /** The programs' states, as old as the status cache allows. */
  programs(): Promise<ReadonlyMap<string, Program>>;
  /** The problems of the disks, for people. */
  diskProblems(): string[];
}

export interface Health {
  isHealthy: boolean;
  /** The problems, for people; also problems that are no reason to restart the service. */
  reasons: string[];
}

/** Without these programs no client can watch or use anything; without the other programs channels go on. */
const NEEDED: readonly string[] = ["media", "front"];

/** The health of the service, from answers that may be a moment old. */
export async function serviceHealth({ programs, diskProblems }: ServiceHealthParts): Promise<Health> {
  const disk = diskProblems();
  try {
    const known = await programs();
    // a program that supervisord does not list is not there on this machine
    const down = SHARED_NAMES.filter((name) => known.has(name) && !isAlive(known.get(name)!.state));
    const reasons = down.map((name) => `The ${SHARED_PROGRAMS[name].word} does not run.`);
    return { isHealthy: !down.some((name) => NEEDED.includes(name)), reasons: [...reasons, ...disk] };
  } catch (error) {
    log("debug", "health not known", { error: errorText(error) });
    return { isHealthy: false, reasons: ["The supervisor does not answer.", ...disk] };
  }
}
