/**
 * When the picture that a stream's viewers see last changed, by what the capture program tells of its display. An encoder
 * that grabs the display by itself tells nothing of it.
 */
import type { FrameCountsOfDisplays } from "../../display/capture/frame_counts.ts";
import type { Timings } from "../../timings.ts";
import type { StartedSpec } from "../programs/pipeline.ts";

export interface LastChangeParts {
  live: {
    /** The settings that the programs were started with; null: they are stopped. */
    readonly spec: Pick<StartedSpec, "display" | "startedAt" | "steadyStart"> | null;
    /** Whether the stream was started here, and is wanted to run. */
    readonly isRunning: boolean;
  };
  /** Whether the encoder grabs the display by itself. */
  isGrabbing(): boolean;
  limits: Pick<Timings, "lastChangeMs">;
  now(): number;
  elapsed(): number;
}

export class LastChange {
  #parts: LastChangeParts;
  /** The told change, with the start that it is of, and when it was renewed: both in ms of the steady clock. */
  #told: { changedAt: number; steadyStart: number; renewedAt: number } | null = null;

  constructor(parts: LastChangeParts) {
    this.#parts = parts;
  }

  /**
   * The last change for people, Unix ms; null: it is not known. While the page goes on changing, it is renewed once in
   * `lastChangeMs.renew`: a clock's status would be news each second.
   */
  get at(): number | null {
    const spec = this.#filmed();
    return spec && this.#told?.steadyStart === spec.steadyStart ? this.#told.changedAt : null;
  }

  /** The last change among the newest counts, Unix ms; null: they do not tell it. */
  in(counts: FrameCountsOfDisplays): number | null {
    const spec = this.#filmed();
    const changedAt = spec && counts.get(spec.display)?.changedAt;
    return changedAt && this.#isOfStart(changedAt, spec) ? changedAt : null;
  }

  /** Takes the newest counts. */
  saw(counts: FrameCountsOfDisplays): void {
    const { live: { spec }, limits, elapsed } = this.#parts;
    const changedAt = this.in(counts);
    if (!spec || changedAt === null) {
      this.#told = null;
      return;
    }
    const { steadyStart } = spec;
    const told = this.#told?.steadyStart === steadyStart ? this.#told : null;
    if (told && (told.changedAt === changedAt || elapsed() - told.renewedAt < limits.lastChangeMs.renew)) {
      return;
    }
    this.#told = { changedAt, steadyStart, renewedAt: elapsed() };
  }

  /** The present start, if the capture program films it. */
  #filmed(): LastChangeParts["live"]["spec"] {
    const { live: { spec, isRunning }, isGrabbing } = this.#parts;
    return isRunning && !isGrabbing() ? spec : null;
  }

  /**
   * Whether a change came after the start, and not while an earlier start had the display. One of the clocks has to say
   * so: after the machine's clock was set, or the machine slept, the other one is wrong.
   */
  #isOfStart(
    changedAt: number,
    { startedAt, steadyStart }: Pick<StartedSpec, "startedAt" | "steadyStart">,
  ): boolean {
    const { now, elapsed } = this.#parts;
    return changedAt >= startedAt || now() - changedAt <= elapsed() - steadyStart;
  }
}
