/**
 * Lets a stream start only where the machine can carry it: one too many ruins all that run. It goes by what was measured
 * lately, since asking costs a start no time then.
 */
import { ServiceError } from "../errors.ts";
import { type Estimate, estimateOf, type Sample } from "../streams/capacity.ts";
import type { AddEvent } from "../streams/events.ts";
import type { Cost, StreamFigures } from "../streams/figures.ts";
import type { StreamId } from "../streams/id.ts";
import type { Stream } from "../streams/schema.ts";
import { busyCores, type CpuTimes } from "../system/cpu_times.ts";
import type { MachineLoad } from "../system/machine_load.ts";
import type { Part } from "../system/part.ts";
import { Loop } from "../system/time.ts";
import type { Timings } from "../timings.ts";
import { refusalOf, type Situation } from "./admission_decision.ts";

export interface AdmissionParts {
  streams(): readonly Stream[];
  /** Unix ms of the stream's start; undefined while it is stopped. */
  startedAt(id: StreamId): number | undefined;
  figures: { summary(): Promise<{ streams: Record<string, StreamFigures>; cost: Cost }> };
  load(): Promise<MachineLoad>;
  /** Null where nobody knows. */
  cpuTimes(): Promise<CpuTimes | null>;
  addEvent: AddEvent;
  /** Streams that may run at once; 0: as many as there are. */
  maxStreams: number;
  /** Whether the machine's processors and memory count. */
  isMeasured: boolean;
  limits: Timings["admission"];
  now(): number;
}

/** How much a new measurement counts beside those before: a program that works for a moment refuses nobody. */
const NEWEST = 0.4;
const MIB = 1024 * 1024;

/** What an admission is about. */
export type Candidate =
  & Pick<Stream, "id" | "name" | "resolution" | "scale" | "fps" | "preset">
  & Partial<Pick<Stream, "onDemand">>;

export class Admission implements Part {
  #parts: AdmissionParts;
  #loop = new Loop("not measured what streams take", "debug");
  #times: CpuTimes | null = null;
  #othersCores: number | null = null;
  #costs = new Map<StreamId, { cpuPercent: number; mebibytes: number }>();
  /** MiB that each stream had when that was last measured, however young it was. */
  #taken = new Map<StreamId, number>();
  /** Streams that were let in, and are not stored as such yet. */
  #coming = new Set<StreamId>();
  /** Streams that were let in, and are too young to be measured. */
  #young = new Map<StreamId, { at: number; estimate: Estimate }>();

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#sayTooMany();
    if (this.#parts.isMeasured) this.#loop.start(this.#parts.limits.roundMs, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /**
   * Lets the stream in, or says why not. It counts from then on: when it is stored, or will not be, `arrived` is due.
   * @param isForced whether it is let in all the same. @returns what its events have to say of that; null: nothing.
   * @throws {ServiceError} 409 with `capacity`.
   */
  async admit(stream: Candidate, isForced: boolean): Promise<string | null> {
    // it starts when somebody comes, and who that is cannot decide anything
    if (stream.onDemand) return null;
    const { isMeasured, load } = this.#parts;
    const machine = isMeasured ? await load() : NO_LIMITS;
    // from here on without a wait, in which others would be let in
    const estimate = estimateOf(stream, this.#samples());
    const why = refusalOf(estimate, this.#situation(stream, machine));
    if (why !== null && !isForced) {
      const advice =
        "Stop another stream first, choose a smaller picture or fewer pictures a second, or start it anyway.";
      throw new ServiceError(409, `“${stream.name}” was not started: ${why}. ${advice}`, undefined, {
        extra: { capacity: { reason: why, ...estimate } },
      });
    }
    this.#young.set(stream.id, { at: this.#parts.now(), estimate });
    this.#coming.add(stream.id);
    return why === null ? null : `Started on request, although ${why}.`;
  }

  /** The stream is stored as one that is to run, or was not let in after all. */
  arrived(id: StreamId): void {
    this.#coming.delete(id);
  }

  /**
   * Lets a list in that is taken over at once: what it takes is not known, but how many are to run is.
   * @throws {ServiceError} 409 when that is more than before, and too many.
   */
  admitList(before: readonly Stream[], after: readonly Stream[], isForced: boolean): void {
    const { maxStreams } = this.#parts;
    const [had, has] = [before, after].map((streams) =>
      streams.filter((stream) => isToRun(stream) && !stream.onDemand).length
    );
    if (isForced || maxStreams === 0 || has <= maxStreams || has <= had) return;
    const what =
      `Nothing was imported: ${has} streams would be to run, and MAX_STREAMS allows ${maxStreams}.`;
    throw new ServiceError(409, `${what} Stop others first, or import it with ?force=true.`);
  }

  /** Measures what the streams take, and what else is going on. */
  async round(): Promise<void> {
    const { figures, cpuTimes } = this.#parts;
    const [{ streams, cost }, times] = await Promise.all([figures.summary(), cpuTimes()]);
    const before = this.#times;
    this.#times = times;
    for (const id of this.#costs.keys()) if (this.#parts.startedAt(id) === undefined) this.#costs.delete(id);
    this.#taken.clear();
    for (const [id, { cpuPercent, mebibytes }] of Object.entries(streams) as [StreamId, StreamFigures][]) {
      if (mebibytes !== null) this.#taken.set(id, mebibytes);
      if (!this.#isSettled(id) || cpuPercent === null || mebibytes === null) continue;
      const known = this.#costs.get(id);
      this.#costs.set(id, {
        cpuPercent: known ? mixed(known.cpuPercent, cpuPercent) : cpuPercent,
        mebibytes,
      });
    }
    const busy = before && times ? busyCores(before, times) : null;
    if (busy === null || cost.cpuPercent === null && cost.mebibytes !== null) return;
    const others = Math.max(0, busy - (cost.cpuPercent ?? 0) / 100);
    this.#othersCores = this.#othersCores === null ? others : mixed(this.#othersCores, others);
  }

  #situation(stream: Candidate, { cores, memory }: Pick<MachineLoad, "cores" | "memory">): Situation {
    const { streams, maxStreams } = this.#parts;
    const running = new Set([
      ...streams().filter((one) => this.#counts(one)).map(({ id }) => id),
      ...this.#coming,
    ]);
    running.delete(stream.id);
    const costs = Array.from(running, (id) => this.#costOf(id));
    return {
      ...{ running: running.size, maxStreams, cores },
      ...memory,
      othersCores: this.#othersCores,
      streamsCores: costs.reduce((sum, { cpuPercent }) => sum + cpuPercent, 0) / 100,
      promisedBytes: costs.reduce((sum, { promised }) => sum + promised, 0) * MIB,
    };
  }

  /** One that runs only while watched takes nothing while it waits. */
  #counts(stream: Stream): boolean {
    return isToRun(stream) && (!stream.onDemand || this.#parts.startedAt(stream.id) !== undefined);
  }

  /** What a running stream takes, and MiB that it has not taken yet. Of one that was restored nothing is promised. */
  #costOf(id: StreamId): { cpuPercent: number; promised: number } {
    const known = this.#costs.get(id);
    if (known) return { cpuPercent: known.cpuPercent, promised: 0 };
    const young = this.#young.get(id);
    if (!young || this.#parts.now() - young.at >= this.#parts.limits.settledMs) {
      this.#young.delete(id);
      return { cpuPercent: 0, promised: 0 };
    }
    const { cpuPercent, mebibytes } = young.estimate;
    return { cpuPercent, promised: Math.max(0, mebibytes - (this.#taken.get(id) ?? 0)) };
  }

  /** Whether the stream has run for so long that its start is over, which takes a whole core. */
  #isSettled(id: StreamId): boolean {
    const startedAt = this.#parts.startedAt(id);
    return startedAt !== undefined && this.#parts.now() - startedAt >= this.#parts.limits.settledMs;
  }

  #samples(): Sample[] {
    return this.#parts.streams().flatMap((fields) => {
      const cost = this.#costs.get(fields.id);
      return cost ? [{ fields, cost }] : [];
    });
  }

  /** What ran before is restored whatever the limit says now, but not silently. */
  #sayTooMany(): void {
    const { streams, maxStreams, addEvent } = this.#parts;
    if (maxStreams === 0) return;
    const running = streams().filter((stream) => isToRun(stream) && !stream.onDemand);
    for (const { id } of running.slice(maxStreams)) {
      const text =
        `Restored, although ${running.length} streams are to run and MAX_STREAMS allows ${maxStreams}.`;
      addEvent(id, "stream", text, "warn");
    }
  }
}

/** Where only the number of streams counts. */
const NO_LIMITS = { cores: Infinity, memory: { availableBytes: Infinity, totalBytes: 0 } };

const isToRun = ({ desiredState }: Stream) => desiredState === "running";

const mixed = (before: number, now: number) => before + NEWEST * (now - before);
