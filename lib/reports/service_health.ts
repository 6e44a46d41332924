/** Whether the service can do its work, for those who restart or replace it when it cannot: a container's engine, a monitor. */
import { isAlive } from "../model/programs.ts";
import type { Program } from "../supervisor/status.ts";
import { errorText, log } from "../system/log.ts";
import { SHARED_NAMES, SHARED_WORDS } from "../live/programs/shared_words.ts";

export interface ServiceHealthParts {
  /** As old as the status cache allows. */
  programs(): Promise<ReadonlyMap<string, Program>>;
  /** What is wrong with the disks, for people. */
  diskProblems(): string[];
}

export interface Health {
  isHealthy: boolean;
  /** What is wrong, for people; what is no reason to restart the service is here too. */
  reasons: string[];
}

/** Without these nobody can watch or use anything; without the others channels go on. */
const NEEDED: readonly string[] = ["media", "front"];

/** Asks nobody anew whom others have asked a moment ago. */
export async function serviceHealth({ programs, diskProblems }: ServiceHealthParts): Promise<Health> {
  const disk = diskProblems();
  try {
    const known = await programs();
    // one that supervisord has not told of is not there on this machine
    const down = SHARED_NAMES.filter((name) => known.has(name) && !isAlive(known.get(name)!.state));
    const reasons = down.map((name) => `The ${SHARED_WORDS[name]} does not run.`);
    return { isHealthy: !down.some((name) => NEEDED.includes(name)), reasons: [...reasons, ...disk] };
  } catch (error) {
    log("debug", "health not known", { error: errorText(error) });
    return { isHealthy: false, reasons: ["The supervisor does not answer.", ...disk] };
  }
}
