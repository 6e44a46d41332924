/** How often programs were restarted without anybody's wish, and why: what the events tell, as numbers. */
import type { StreamId } from "../../model/id.ts";
import { PROGRAM_KINDS, type ProgramKind } from "../../model/programs.ts";
import type { RepairReason } from "../../broker/repairs.ts";
import type { Fault } from "./faults.ts";
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

/** Counts restarts of a stream's programs. */
export type CountRestarts = (id: StreamId, programs: readonly ProgramKind[], cause: RestartCause) => void;

export const CAUSE_OF_FAULT: Record<Fault["type"], RestartCause> = {
  taken: "taken",
  down: "ended",
  outdated: "dependency",
  done: "dependency",
  hung: "hung",
  starving: "starved",
};

export const CAUSE_OF_REPAIR: Record<RepairReason, RestartCause> = {
  stopped: "hung",
  silent: "hung",
  ended: "ended",
};

type AnyProgram = ProgramKind | SharedName;

export class Restarts {
  #byProgram = new Map<string, number>();
  #byStream = new Map<StreamId, number>();

  readonly count: CountRestarts = (id, programs, cause) => {
    for (const program of programs) this.#add(program, cause);
    this.#byStream.set(id, this.ofStream(id) + programs.length);
  };

  /** Counts a restart of a program that all streams share. */
  readonly countShared = (program: SharedName, cause: RestartCause): void => this.#add(program, cause);

  /** Since the web app's start, all causes of all programs: those that never came are 0. */
  *byProgram(): Generator<{ program: AnyProgram; cause: RestartCause; count: number }> {
    for (const program of [...PROGRAM_KINDS, ...SHARED_NAMES]) {
      for (const cause of Object.keys(RESTART_CAUSES) as RestartCause[]) {
        yield { program, cause, count: this.#byProgram.get(`${program} ${cause}`) ?? 0 };
      }
    }
  }

  /** Of all programs of the stream. */
  ofStream(id: StreamId): number {
    return this.#byStream.get(id) ?? 0;
  }

  /** A stream that is no more. */
  forget(id: StreamId): void {
    this.#byStream.delete(id);
  }

  #add(program: AnyProgram, cause: RestartCause): void {
    const key = `${program} ${cause}`;
    this.#byProgram.set(key, (this.#byProgram.get(key) ?? 0) + 1);
  }
}
