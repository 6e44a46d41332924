/**
 * Who is there to watch: a stream that runs only while somebody watches is started for its first viewer, and stopped some
 * minutes after the last one has left. Whoever is in its browser by VNC counts as a viewer.
 */
import type { Slates } from "../media/slates.ts";
import { VIEWER_SECONDS } from "../model/figures.ts";
import type { AddEvent } from "../model/events.ts";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import type { PlannedFields } from "../model/timetable.ts";
import { errorText, log } from "../system/log.ts";
import type { Part } from "../system/part.ts";
import { Loop } from "../system/time.ts";
import type { Timings } from "../timings.ts";

export interface DemandParts {
  stream(id: StreamId): Stream | undefined;
  /** How many people are in the stream's browser by VNC. */
  vncViewers(id: StreamId): number;
  /** Brings the stream's programs to what is wanted now. */
  reconcile(id: StreamId): Promise<void>;
  slates: Pick<Slates, "prepare" | "begin" | "end">;
  /** Whether its weekly plan has the stream off the air. */
  isOff(stream: PlannedFields): boolean;
  addEvent: AddEvent;
  limits: Pick<Timings, "demandRoundMs">;
  elapsed(): number;
}

type Demanded = Pick<Stream, "id" | "desiredState" | "onDemand"> & PlannedFields;

/** What is told of a stream that is to run, and does not: its last viewer has left, or its plan has it so. */
const WAITS = "Stopped, as nobody watches. The next viewer starts it.";
const OFF = "Off the air, by its plan.";

export class Demand implements Part {
  #parts: DemandParts;
  #loop = new Loop("viewers not counted");
  /** When somebody watched last, Unix ms; of every stream whose programs are to run. */
  #watchedAt = new Map<StreamId, number>();

  constructor(parts: DemandParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(this.#parts.limits.demandRoundMs, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Whether the stream's programs are to run now. */
  isWanted(stream: Demanded): boolean {
    return this.#isToRun(stream) && !this.isWaiting(stream);
  }

  /** Whether they would run if somebody watched. */
  isWaiting(stream: Demanded): boolean {
    return this.#isToRun(stream) && stream.onDemand && !this.#watchedAt.has(stream.id);
  }

  #isToRun(stream: Demanded): boolean {
    return stream.desiredState === "running" && !this.#parts.isOff(stream);
  }

  /** Why a stream was stopped, for its events. */
  whyStopped(stream: Demanded): string {
    return stream.desiredState === "stopped" ? "Stopped." : this.#parts.isOff(stream) ? OFF : WAITS;
  }

  /** The stream's programs do not run, as its settings want it: the next viewer may come at any time. */
  rests(stream: Stream): void {
    if (this.isWaiting(stream)) this.#parts.slates.prepare(stream);
  }

  /** The stream's programs are started, or run already: from now on it is waited for viewers. */
  began(id: StreamId): void {
    if (!this.#watchedAt.has(id)) this.#watchedAt.set(id, this.#parts.elapsed());
  }

  /** Somebody asks for the stream's channel, or for its browser: it is started if it waits for that. */
  watched(id: StreamId): void {
    const { stream: streamOf, slates, addEvent, elapsed } = this.#parts;
    const stream = streamOf(id);
    if (!stream || !this.#isToRun(stream)) return;
    const isFirst = this.isWaiting(stream);
    this.#watchedAt.set(id, elapsed());
    if (!isFirst) return;
    slates.begin(stream);
    addEvent(id, "stream", "Starting, as somebody watches.");
    this.#reconcile(id);
  }

  /** Stops the streams whose last viewer left long ago. */
  round(): void {
    const { stream: streamOf, vncViewers, slates, elapsed } = this.#parts;
    for (const [id, watchedAt] of this.#watchedAt) {
      const stream = streamOf(id);
      if (!stream || !this.#isToRun(stream)) {
        this.#watchedAt.delete(id);
        slates.end(id);
        continue;
      }
      if (vncViewers(id) > 0) this.#watchedAt.set(id, elapsed());
      else if (stream.onDemand && elapsed() - watchedAt >= patienceMs(stream)) {
        this.#watchedAt.delete(id);
        slates.end(id);
        this.#reconcile(id);
      }
    }
  }

  #reconcile(id: StreamId): void {
    this.#parts.reconcile(id).catch((error) =>
      log("error", "stream not brought to its viewers", { stream: id, error: errorText(error) })
    );
  }
}

/** Milliseconds from a viewer's last request to the stop: who asked a moment ago has not left. */
function patienceMs({ onDemandMinutes }: Stream): number {
  return Math.max(VIEWER_SECONDS * 1000, onDemandMinutes * 60_000);
}
