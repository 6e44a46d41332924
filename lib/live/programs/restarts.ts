/** How often programs were restarted without a person's wish, and why: the events as numbers. */
import { PROGRAM_KINDS, type ProgramKind } from "../../model/programs.ts";
import type { RepairReason } from "../../machine/broker/repairs.ts";
import { SHARED_NAMES, type SharedName } from "./shared_words.ts";

/** Why a program was restarted; for documentation. */
export const RESTART_CAUSES = {
  ended: "it had ended by itself, or somebody killed it",
  dependency: "something that it needs had been started again",
  hung: "it did not answer, or was stopped by a signal",
  taken: "another user of the machine had taken its display",
  starved: "no new picture came",
  memory: "it used more memory than its stream may",
  profile: "its page had stored more than it may",
} as const;

export type RestartCause = keyof typeof RESTART_CAUSES;

export const CAUSE_OF_REPAIR: Record<RepairReason, RestartCause> = {
  stopped: "hung",
  silent: "hung",
  ended: "ended",
  removed: "ended",
};

type AnyProgram = ProgramKind | SharedName;

export class Restarts {
  #byProgram = new Map<string, number>();

  /** Counts a restart of a stream's program, or of a program that all streams share. */
  count(program: AnyProgram, cause: RestartCause): void {
    const key = `${program} ${cause}`;
    this.#byProgram.set(key, (this.#byProgram.get(key) ?? 0) + 1);
  }

  /** The counts since the web app's start, for all causes of all programs: an unseen cause has 0. */
  *byProgram(): Generator<{ program: AnyProgram; cause: RestartCause; count: number }> {
    for (const program of [...PROGRAM_KINDS, ...SHARED_NAMES]) {
      for (const cause of Object.keys(RESTART_CAUSES) as RestartCause[]) {
        yield { program, cause, count: this.#byProgram.get(`${program} ${cause}`) ?? 0 };
      }
    }
  }
}
