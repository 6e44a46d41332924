/** Asks a running stream's programs for a sign of life, in the background. */
import type { ProgramKind } from "../../model/programs.ts";
import type { Program } from "../../machine/supervisor/status.ts";
import { Liveness } from "../../machine/tools/liveness.ts";
import type { Timings } from "../../timings.ts";

/** The programs that can be asked; a program comes after the program that it needs. */
export const ASKED = ["display", "audio", "browser"] as const satisfies ProgramKind[];

export type AskedKind = typeof ASKED[number];

export interface ProgramProbesParts {
  /** Whether a program answers. May reject, which is no answer. */
  ask: Record<AskedKind, (limitMs: number) => Promise<boolean>>;
  /** Whether somebody else has taken a display. May reject, which is a no. */
  isDisplayTaken(display: number): Promise<boolean>;
  limits: Timings["probe"];
  elapsed: () => number;
}

/** One stream's programs. */
export class ProgramProbes {
  #parts: ProgramProbesParts;
  #dueAt = 0;
  #asking: Promise<void> | null = null;
  #liveness: Record<AskedKind, Liveness>;
  /** The pids of programs that hang: another pid has not been asked yet. */
  #hung = new Map<AskedKind, number>();
  /** The stream's display, if somebody else has taken it. */
  #takenDisplay: number | null = null;
  #looking: Promise<void> | null = null;

  constructor(parts: ProgramProbesParts) {
    this.#parts = parts;
    const liveness = () => new Liveness(parts.limits);
    this.#liveness = { display: liveness(), audio: liveness(), browser: liveness() };
  }

  /** Asks again where that is due, and returns the programs that hang by the last answers. */
  hung(programOf: (kind: ProgramKind) => Program | undefined): AskedKind[] {
    const { elapsed, limits } = this.#parts;
    if (!this.#asking && elapsed() >= this.#dueAt) {
      this.#dueAt = elapsed() + limits.everyMs;
      this.#asking = this.#ask(programOf).finally(() => this.#asking = null);
    }
    return ASKED.filter((kind) => {
      const program = programOf(kind);
      return program?.state === "RUNNING" && this.#hung.get(kind) === program.pid;
    });
  }

  /** Looks anew whether somebody else has taken the stream's display, and returns the last look's result. */
  isDisplayTaken(display: number): boolean {
    this.#looking ??= this.#parts.isDisplayTaken(display).catch(() => false).then((isTaken) => {
      this.#takenDisplay = isTaken ? display : null;
      this.#looking = null;
    });
    return this.#takenDisplay === display;
  }

  /** Resolves when no question is open. */
  async settled(): Promise<void> {
    await Promise.all([this.#asking, this.#looking]);
  }

  async #ask(programOf: (kind: ProgramKind) => Program | undefined): Promise<void> {
    const { ask, limits, elapsed } = this.#parts;
    await Promise.all(ASKED.map(async (kind) => {
      const program = programOf(kind);
      if (program?.state !== "RUNNING") return;
      const hasAnswered = await ask[kind](limits.answerMs).catch(() => false);
      if (this.#liveness[kind].hangs(program.pid, hasAnswered, elapsed())) this.#hung.set(kind, program.pid);
      else this.#hung.delete(kind);
    }));
  }
}
