/** Keeps streams to their weekly plans: it starts and stops them by the clock, and knows what is on. */
import type { AddEvent } from "../streams/events.ts";
import type { StreamId } from "../streams/id.ts";
import type { Stream } from "../streams/schema.ts";
import { type PlannedFields, type Show, timetableOf } from "../streams/timetable.ts";
import type { Part } from "../system/part.ts";
import { Loop } from "../system/time.ts";
import type { Timings } from "../timings.ts";

export interface PlansParts {
  streams(): readonly Stream[];
  /** Brings the stream's programs to what is wanted now, after those that wait already. It never fails. */
  reconcile(id: StreamId): Promise<void>;
  addEvent: AddEvent;
  /** Of plans that name none. */
  timeZone: string;
  limits: Pick<Timings, "planRoundMs">;
  now(): number;
}

export class Plans implements Part {
  #parts: PlansParts;
  #loop = new Loop("plans not kept");
  /** The streams that were off the air at the last round. */
  #off: ReadonlySet<StreamId> | null = null;
  /** When streams return that are off the air: a search through the week. */
  #returns = new WeakMap<Stream, number | null>();

  constructor(parts: PlansParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(this.#parts.limits.planRoundMs, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** What is on now. */
  show(stream: PlannedFields): Show {
    return timetableOf(stream, this.#parts.timeZone).at(this.#parts.now());
  }

  /** Whether the plan has the stream off the air now. */
  isOff(stream: PlannedFields): boolean {
    return this.show(stream).length === 0;
  }

  /** When the stream is on the air again, Unix ms; null: never; undefined: it is on, or is not to be at all. */
  returnsAt(stream: Stream): number | null | undefined {
    if (stream.desiredState === "stopped") return undefined;
    const { timeZone, now } = this.#parts;
    if (!this.isOff(stream)) return undefined;
    const known = this.#returns.get(stream);
    if (known !== undefined && (known === null || known > now())) return known;
    const at = timetableOf(stream, timeZone).changesAt(now());
    this.#returns.set(stream, at);
    return at;
  }

  /** Starts and stops the streams whose time has come. */
  round(): void {
    const { streams, addEvent } = this.#parts;
    const planned = streams().filter(({ desiredState, plan }) => desiredState === "running" && plan !== "");
    const before = this.#off;
    this.#off = new Set(planned.filter((stream) => this.isOff(stream)).map(({ id }) => id));
    // a change of the plan itself is reconciled by who makes it, and so is a start of the service
    if (before === null) return;
    for (const { id } of planned) {
      if (before.has(id) === this.#off.has(id)) continue;
      if (before.has(id)) addEvent(id, "stream", "On the air, by its plan.");
      void this.#parts.reconcile(id);
    }
  }
}
