/** Asks the programs of running streams for a sign of life, in the background. */
import type { StreamId } from "../../model/id.ts";
import type { ProgramKind } from "../../model/programs.ts";
import type { Program } from "../../supervisor/status.ts";
import { Liveness } from "../../system/liveness.ts";
import type { Timings } from "../../timings.ts";

/** The programs that can be asked; what hangs on another comes after it. */
export const ASKED = ["display", "audio", "browser"] as const satisfies ProgramKind[];

export type AskedKind = typeof ASKED[number];

export interface ProgramProbesParts {
  /** Whether the program of a running stream answers. May reject, which is no answer. */
  ask: Record<AskedKind, (id: StreamId, limitMs: number) => Promise<boolean>>;
  /** Whether somebody else has taken a stream's display. May reject, which is a no. */
  isDisplayTaken(display: number): Promise<boolean>;
  limits: Timings["probe"];
  elapsed: () => number;
}

interface Watched {
  dueAt: number;
  asking: Promise<void> | null;
  liveness: Record<AskedKind, Liveness>;
  /** The pids of those that hang: another pid has not been asked yet. */
  hung: Map<AskedKind, number>;
  /** The stream's display, if somebody else has taken it. */
  takenDisplay: number | null;
  looking: Promise<void> | null;
}

export class ProgramProbes {
  #parts: ProgramProbesParts;
  #streams = new Map<StreamId, Watched>();

  constructor(parts: ProgramProbesParts) {
    this.#parts = parts;
  }

  /** Asks again where that is due, and says which programs hang by what is known. */
  hung(id: StreamId, programOf: (kind: ProgramKind) => Program | undefined): AskedKind[] {
    const { elapsed, limits } = this.#parts;
    const stream = this.#watched(id);
    if (!stream.asking && elapsed() >= stream.dueAt) {
      stream.dueAt = elapsed() + limits.everyMs;
      stream.asking = this.#ask(id, stream, programOf).finally(() => stream.asking = null);
    }
    return ASKED.filter((kind) => {
      const program = programOf(kind);
      return program?.state === "RUNNING" && stream.hung.get(kind) === program.pid;
    });
  }

  /** Looks anew whether somebody else has taken the stream's display, and says what the last look has shown. */
  isDisplayTaken(id: StreamId, display: number): boolean {
    const stream = this.#watched(id);
    stream.looking ??= this.#parts.isDisplayTaken(display).catch(() => false).then((isTaken) => {
      stream.takenDisplay = isTaken ? display : null;
      stream.looking = null;
    });
    return stream.takenDisplay === display;
  }

  /** Forgets what is known of a stream: its programs are others now. */
  forget(id: StreamId): void {
    this.#streams.delete(id);
  }

  /** Resolves when no question is open. */
  async settled(): Promise<void> {
    await Promise.all([...this.#streams.values()].flatMap(({ asking, looking }) => [asking, looking]));
  }

  #watched(id: StreamId): Watched {
    let stream = this.#streams.get(id);
    if (!stream) {
      const { limits } = this.#parts;
      const liveness = {
        display: new Liveness(limits),
        audio: new Liveness(limits),
        browser: new Liveness(limits),
      };
      stream = { dueAt: 0, asking: null, liveness, hung: new Map(), takenDisplay: null, looking: null };
      this.#streams.set(id, stream);
    }
    return stream;
  }

  async #ask(
    id: StreamId,
    { liveness, hung }: Watched,
    programOf: (kind: ProgramKind) => Program | undefined,
  ): Promise<void> {
    const { ask, limits, elapsed } = this.#parts;
    await Promise.all(ASKED.map(async (kind) => {
      const program = programOf(kind);
      if (program?.state !== "RUNNING") return;
      const hasAnswered = await ask[kind](id, limits.answerMs).catch(() => false);
      if (liveness[kind].hangs(program.pid, hasAnswered, elapsed())) hung.set(kind, program.pid);
      else hung.delete(kind);
    }));
  }
}
