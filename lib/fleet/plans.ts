/** Keeps streams to their weekly plans: it starts and stops them by the clock, and knows what is on. */
import type { AddEvent } from "../model/events.ts";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import { type PlannedFields, type Show, timetableOf } from "../model/timetable.ts";
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
  elapsed(): number;
}

/** A week without a time that is on may be one whose clocks leave that time out: it is asked again after so long. */
const NEVER_MS = 3_600_000;

export class Plans implements Part {
  #parts: PlansParts;
  #loop = new Loop("plans not kept");
  /** The plans of the last round, and whether they had their stream off the air. */
  #before = new Map<StreamId, { plan: string; isOff: boolean }>();
  /** When streams return that are off the air: a search through the week. */
  #returns = new WeakMap<Stream, { at: number | null; askedAt: number }>();

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
    const { timeZone, now, elapsed } = this.#parts;
    if (!this.isOff(stream)) return undefined;
    const known = this.#returns.get(stream);
    const isGood = known && (known.at === null ? elapsed() - known.askedAt < NEVER_MS : known.at > now());
    if (isGood) return known.at;
    const at = timetableOf(stream, timeZone).changesAt(now());
    this.#returns.set(stream, { at, askedAt: elapsed() });
    return at;
  }

  /** Starts and stops the streams whose time has come. */
  round(): void {
    const { streams, reconcile, addEvent } = this.#parts;
    const before = this.#before;
    this.#before = new Map();
    for (const stream of streams()) {
      const { id, desiredState, planTimeZone } = stream;
      if (desiredState === "stopped" || stream.plan === "") continue;
      const [plan, isOff] = [`${stream.plan}\n${planTimeZone}`, this.isOff(stream)];
      this.#before.set(id, { plan, isOff });
      const last = before.get(id);
      // who changes the plan, or starts the stream or the service, brings it to that as well
      if (last?.plan !== plan || last.isOff === isOff) continue;
      if (!isOff) addEvent(id, "stream", "On the air, by its plan.");
      void reconcile(id);
    }
  }
}
