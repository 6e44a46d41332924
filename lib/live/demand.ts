/**
 * The viewers of a stream: a stream that runs only while somebody watches is started for its first viewer, and stopped
 * some minutes after its last viewer has left. A person in its browser by VNC counts as a viewer.
 */
import type { Slates } from "../media/slates.ts";
import { VIEWER_SECONDS } from "../model/answers/figures.ts";
import type { Stream } from "../model/schema.ts";
import type { PlannedFields } from "../model/plan/timetable.ts";

type Demanded = Pick<Stream, "desiredState" | "onDemand"> & PlannedFields;

/** Events of a stream that is to run, and does not: its last viewer has left, or its plan has it off the air, or it moved. */
const WAITS = "Stopped because nobody watches. The next viewer starts it.";
const OFF = "Off the air, by its plan.";
const ELSEWHERE = "Stopped here: it runs on another machine.";

/** What keeps a stream that is to run from running here. */
export interface Obstacles {
  /** Whether its weekly plan has the stream off the air. */
  isOff(stream: PlannedFields): boolean;
  /** Whether the stream is another machine's. */
  isElsewhere(): boolean;
}

export class Demand {
  #slates: Pick<Slates, "prepare" | "begin" | "end">;
  #obstacles: Obstacles;
  #elapsed: () => number;
  /** When somebody watched last, in ms of the steady clock; null while the programs are not to run. */
  #watchedAt: number | null = null;

  /** @param elapsed ms of a steady clock. */
  constructor(
    slates: Pick<Slates, "prepare" | "begin" | "end">,
    obstacles: Obstacles,
    elapsed: () => number,
  ) {
    this.#slates = slates;
    this.#obstacles = obstacles;
    this.#elapsed = elapsed;
  }

  /** Whether the stream's programs are to run now. */
  isWanted(stream: Demanded): boolean {
    return this.#isToRun(stream) && !this.isWaiting(stream);
  }

  /** Whether the stream's programs wait for a viewer. */
  isWaiting(stream: Demanded): boolean {
    return this.#isToRun(stream) && stream.onDemand && this.#watchedAt === null;
  }

  #isToRun(stream: Demanded): boolean {
    const { isElsewhere, isOff } = this.#obstacles;
    return stream.desiredState === "running" && !isElsewhere() && !isOff(stream);
  }

  /** Why a stream was stopped, for its events. */
  whyStopped(stream: Demanded): string {
    if (stream.desiredState === "stopped") return "Stopped.";
    const { isElsewhere, isOff } = this.#obstacles;
    return isElsewhere() ? ELSEWHERE : isOff(stream) ? OFF : WAITS;
  }

  /** The stream's programs do not run, as its settings want it: the next viewer may come at any time. */
  rests(stream: Stream): void {
    if (this.isWaiting(stream)) this.#slates.prepare(stream);
  }

  /** The stream's programs are started, or run already: the wait for viewers begins. */
  began(): void {
    this.#watchedAt ??= this.#elapsed();
  }

  /** Somebody asks for the stream's channel or browser. @returns whether the stream waited for that: it is to start. */
  watched(stream: Stream): boolean {
    if (!this.#isToRun(stream)) return false;
    const isFirst = this.isWaiting(stream);
    this.#watchedAt = this.#elapsed();
    if (isFirst) this.#slates.begin(stream);
    return isFirst;
  }

  /** @param viewers people in the browser by VNC. @returns whether the last viewer left long ago: the stream stops. */
  tick(stream: Stream, viewers: number): boolean {
    if (this.#watchedAt === null) return false;
    if (!this.#isToRun(stream)) {
      this.#forget(stream);
      return false;
    }
    if (viewers > 0) this.#watchedAt = this.#elapsed();
    if (!stream.onDemand || this.#elapsed() - this.#watchedAt < patienceMs(stream)) return false;
    this.#forget(stream);
    return true;
  }

  #forget({ id }: Stream): void {
    this.#watchedAt = null;
    this.#slates.end(id);
  }
}

/** Milliseconds from a viewer's last request to the stop: a player that asked a moment ago has not left. */
function patienceMs({ onDemandMinutes }: Stream): number {
  return Math.max(VIEWER_SECONDS * 1000, onDemandMinutes * 60_000);
}
