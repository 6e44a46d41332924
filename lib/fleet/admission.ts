/**
 * Lets a stream start only where the machine can carry the stream: one stream too many ruins all running streams. The
 * decision uses recent measurements, so that no start waits for new ones.
 */
import type { Placement } from "../cluster/placement.ts";
import { ServiceError } from "../errors.ts";
import type { Ground } from "../live/ground.ts";
import { type Estimate, estimateOf, type Sample } from "../model/capacity.ts";
import { type StreamId, streamId } from "../model/id.ts";
import { QUALITY_PRESETS, type Stream } from "../model/schema.ts";
import { busyCores, type CpuTimes } from "../machine/os/cpu_times.ts";
import type { Machine } from "../machine/machine.ts";
import type { MachineLoad } from "../machine/os/machine_load.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { Timings } from "../timings.ts";
import { MOST_CPU, type Refusal, refusalOf, type Situation } from "./admission_decision.ts";
import type { Place, Places } from "./places.ts";
import type { Cost } from "../model/answers/shapes.ts";

export interface AdmissionParts {
  ground: Pick<Ground, "addEvent"> & { placement: Pick<Placement, "here" | "noRoom"> };
  places: Places;
  figures: { costs(): Promise<{ streams: Record<string, Cost>; cost: Cost }> };
  machine: Pick<Machine, "load" | "cpuTimes" | "elapsed" | "space">;
  /** RUN_DIR, whose free bytes limit starts as processors and memory do; null: nothing is measured. */
  runDir: string | null;
  limits: Timings["admission"];
}

/** A new stream as the form would add it. */
const USUAL: Candidate = {
  id: streamId("new"),
  name: "",
  resolution: "1280x720",
  scale: "1280x720",
  ...QUALITY_PRESETS.Dashboard,
};

const NO_NODE = "no node of the cluster is free";

/** The weight of a new measurement beside the earlier ones: with one each 15 s, what lasts for minutes counts. */
const NEWEST = 0.15;
/** Milliseconds for which a machine is too full before a node gives a stream away. */
const FULL_MS = 120_000;
const MIB = 1024 * 1024;

type Room =
  & Pick<MachineLoad, "cores" | "processors" | "machineCores" | "tasks" | "memory" | "machineBytes">
  & Pick<Situation, "runBytes">;

/** The stream that asks for admission. */
export type Candidate =
  & Pick<Stream, "id" | "name" | "resolution" | "scale" | "fps" | "preset">
  & Partial<Pick<Stream, "onDemand">>;

export class Admission implements Part {
  #parts: AdmissionParts;
  #loop = new Loop("the streams' CPU and memory were not measured", "debug");
  #times: CpuTimes | null = null;
  /** The room of a cluster's node, as the last round has found it; null: no round has ended yet, or this machine is alone. */
  #room: Room | null = null;
  /** Since when the machine is too full; null: it is not. */
  #fullSince: number | null = null;
  #othersCores: number | null = null;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#sayTooMany();
    if (this.#parts.runDir !== null) this.#loop.start(this.#parts.limits.roundMs, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /**
   * Admits the stream, which counts from then on: as soon as the stream is stored or given up, `arrived` is due.
   * @param isForced whether the stream is admitted in any case. @returns the text for its events; null: no text.
   * @throws {ServiceError} 409 with `capacity`.
   */
  async admit(stream: Candidate, isForced: boolean): Promise<string | null> {
    // the stream starts when a viewer comes, and asks for a place then
    if (stream.onDemand) return null;
    if (this.#isNode) {
      if (!isForced) {
        this.#refuseWithoutNode(`“${stream.name}” was not started`, "Stop another stream first.", stream);
      }
      return null;
    }
    const { places } = this.#parts;
    const machine = await this.#machine();
    // no wait from here on: other streams would be admitted in it
    const { estimate, refusal } = this.#judge(stream, machine, places.streams(), places.maxStreams);
    if (refusal !== null && !isForced) {
      const advice =
        "Stop another stream first, choose a smaller picture or fewer pictures a second, or start it anyway.";
      throw noRoom(`“${stream.name}” was not started: ${refusal.why}. ${advice}`, refusal, estimate);
    }
    this.#letIn(stream.id, estimate);
    return refusal && forcedText(refusal);
  }

  /** Ends the wait for a stream that is stored as running now, or was given up. */
  arrived(id: StreamId): void {
    this.#parts.places.arrived(id);
  }

  /**
   * Admits the list's streams that are not to run yet: all of them, or none. Admitted streams count from then on:
   * `arrived` is due for each. @returns the admitted streams with the text for their events; null: no text.
   * @throws {ServiceError} 409 with `capacity`.
   */
  async admitList(
    before: readonly Stream[],
    after: readonly Stream[],
    isForced: boolean,
  ): Promise<Map<StreamId, string | null>> {
    const { places, places: { maxStreams } } = this.#parts;
    const ids = [...before.filter(isAlwaysToRun).map(({ id }) => id), ...places.coming()];
    const newcomers = after.filter((stream) => isAlwaysToRun(stream) && !ids.includes(stream.id));
    const notes = new Map<StreamId, string | null>();
    if (newcomers.length === 0) return notes;
    if (this.#isNode) {
      const advice = "Stop others first, or import it anyway.";
      if (!isForced) this.#refuseWithoutNode("Nothing was imported", advice, newcomers[0]);
      return new Map(newcomers.map(({ id }) => [id, null]));
    }
    const machine = await this.#machine();
    const refuse = (what: string, refusal: Refusal, estimate: Estimate) => {
      for (const id of notes.keys()) this.#takeBack(id);
      const advice = "Stop others first, or import it anyway.";
      throw noRoom(`Nothing was imported: ${what}. ${advice}`, refusal, estimate);
    };
    const count = after.filter(isAlwaysToRun).length;
    const tooMany = tooManyText(count, maxStreams);
    if (tooMany !== null && count > new Set(ids).size && !isForced) {
      const short = `MAX_STREAMS is ${maxStreams}`;
      refuse(tooMany, { short, why: tooMany }, estimateOf(newcomers[0], this.#samples()));
    }
    const staying = after.filter((stream) => !newcomers.includes(stream));
    for (const [at, stream] of newcomers.entries()) {
      const { estimate, refusal } = this.#judge(stream, machine, staying, NO_MOST);
      if (refusal !== null && !isForced) {
        const room = `${newcomers.length} streams would start, and there is room for ${at}: `;
        refuse(`${newcomers.length === 1 ? "" : room}${refusal.why}`, refusal, estimate);
      }
      this.#letIn(stream.id, estimate);
      notes.set(stream.id, refusal && forcedText(refusal));
    }
    return notes;
  }

  /** Why a new stream would have to wait now, in short; null: there is room, or another node of the cluster may have some. */
  async shortage(): Promise<string | null> {
    if (this.#isNode) return null;
    const { places } = this.#parts;
    const machine = await this.#machine();
    return this.#judge(USUAL, machine, places.streams(), places.maxStreams).refusal?.short ?? null;
  }

  /** Why this node of a cluster has no room for a stream, by the last round; null: it has. */
  refusal(stream: Candidate): string | null {
    if (stream.onDemand) return null;
    const { runDir, places } = this.#parts;
    if (runDir !== null && this.#room === null) return "the machine was not measured yet";
    return this.#judge(stream, this.#room ?? NO_LIMITS, places.streams(), places.maxStreams).refusal?.why ??
      null;
  }

  /** Counts a stream that a node has taken, before it can be measured. */
  took(stream: Candidate): void {
    this.#expect(stream.id, estimateOf(stream, this.#samples()));
  }

  /** The share of the machine that is free for streams, 0 to 1: the emptiest node takes the next one. */
  room(): number {
    const { places, places: { maxStreams } } = this.#parts;
    const situation = this.#situation(null, this.#room ?? NO_LIMITS, places.streams(), maxStreams);
    const { running, streamsCores, othersCores, cores, processors } = situation;
    const { availableBytes, promisedBytes, totalBytes } = situation;
    const byNumber = maxStreams > 0 ? 1 - running / maxStreams : 1 / (1 + running);
    if (this.#room === null) return Math.max(0, byNumber);
    const byMachine = 1 - ((othersCores ?? 0) + streamsCores) / (MOST_CPU * processors);
    const byContainer = 1 - streamsCores / (MOST_CPU * cores);
    const byMemory = (availableBytes - promisedBytes) / totalBytes;
    return Math.max(0, Math.min(byMachine, byContainer, byMemory, maxStreams > 0 ? byNumber : 1));
  }

  /** The costliest stream, when the machine was too full for two minutes; null: it was not. */
  excess(): StreamId | null {
    const { machine: { elapsed } } = this.#parts;
    if (this.#fullSince === null || elapsed() - this.#fullSince < FULL_MS) return null;
    const costs = [...this.#parts.places].flatMap(([id, { cost }]) => cost ? [{ id, ...cost }] : []);
    return costs.toSorted((one, other) => other.cpuPercent - one.cpuPercent)[0]?.id ?? null;
  }

  /** Measures the costs of the streams, and the load of other programs. */
  async round(): Promise<void> {
    const { figures, machine, places, runDir, limits } = this.#parts;
    const [{ streams, cost }, times, room] = await Promise.all([
      figures.costs(),
      machine.cpuTimes(),
      this.#isNode && runDir !== null ? this.#measured(runDir) : null,
    ]);
    this.#room = room;
    const before = this.#times;
    this.#times = times;
    for (const [id, place] of places) {
      place.takenMib = null;
      if (places.runOf(id).startedAt === undefined) place.cost = null;
      if (!isYoung(place, machine.elapsed(), limits)) place.expected = null;
    }
    for (const [id, { cpuPercent, mebibytes }] of Object.entries(streams) as [StreamId, Cost][]) {
      if (mebibytes === null) continue;
      const place = places.of(id);
      place.takenMib = mebibytes;
      if (!this.#isSettled(id) || cpuPercent === null) continue;
      place.cost = {
        cpuPercent: place.cost ? mixed(place.cost.cpuPercent, cpuPercent) : cpuPercent,
        mebibytes,
      };
    }
    places.tidy();
    const busy = before && times ? busyCores(before, times) : null;
    if (busy === null || cost.cpuPercent === null && cost.mebibytes !== null) return;
    const others = Math.max(0, busy - (cost.cpuPercent ?? 0) / 100);
    this.#othersCores = this.#othersCores === null ? others : mixed(this.#othersCores, others);
    const isFull = room !== null &&
      (busy > MOST_CPU * room.processors || (cost.cpuPercent ?? 0) / 100 > MOST_CPU * room.cores);
    if (!isFull) this.#fullSince = null;
    else this.#fullSince ??= machine.elapsed();
  }

  /** Whether other machines may take a stream: which node takes it, the nodes decide by themselves (lib/cluster/keeper.ts). */
  get #isNode(): boolean {
    return this.#parts.ground.placement.here !== null;
  }

  /** @throws {ServiceError} 409 with `capacity`, naming each node's room, when no node has room. */
  #refuseWithoutNode(what: string, advice: string, stream: Candidate): void {
    const why = this.#parts.ground.placement.noRoom();
    if (why === null) return;
    throw noRoom(`${what}: ${why}. ${advice}`, { short: NO_NODE, why }, estimateOf(stream, []));
  }

  /** The present room on the machine. */
  async #machine(): Promise<Room> {
    const { runDir } = this.#parts;
    return runDir === null ? NO_LIMITS : await this.#measured(runDir);
  }

  async #measured(runDir: string): Promise<Room> {
    const { machine } = this.#parts;
    const space = machine.space(runDir).then(({ freeBytes }) => freeBytes, () => null);
    const [load, runBytes] = await Promise.all([machine.load(), space]);
    return { ...load, runBytes };
  }

  /** The expected cost of a stream, and the reason against its start; null: the stream may start. */
  #judge(stream: Candidate, machine: Room, others: readonly Stream[], maxStreams: number) {
    const estimate = estimateOf(stream, this.#samples());
    return { estimate, refusal: refusalOf(estimate, this.#situation(stream, machine, others, maxStreams)) };
  }

  /** Counts a stream by its estimate until it can be measured. */
  #expect(id: StreamId, estimate: Estimate): void {
    this.#parts.places.of(id).expected = { at: this.#parts.machine.elapsed(), estimate };
  }

  #letIn(id: StreamId, estimate: Estimate): void {
    this.#expect(id, estimate);
    this.#parts.places.expect(id);
  }

  #takeBack(id: StreamId): void {
    this.#parts.places.of(id).expected = null;
    this.arrived(id);
  }

  #situation(
    stream: Candidate | null,
    { cores, processors, machineCores, tasks, memory, machineBytes, runBytes }: Room,
    others: readonly Stream[],
    maxStreams: number,
  ): Situation {
    const { places, machine, limits } = this.#parts;
    const running = places.running(others);
    if (stream) running.delete(stream.id);
    const costs = Array.from(running, (id) => this.#costOf(id));
    return {
      running: running.size,
      maxStreams,
      cores,
      processors,
      machineCores,
      tasks,
      ...memory,
      machineBytes,
      runBytes,
      young: [...running].filter((id) => isYoung(places.find(id), machine.elapsed(), limits)).length,
      othersCores: this.#othersCores,
      streamsCores: costs.reduce((sum, { cpuPercent }) => sum + cpuPercent, 0) / 100,
      promisedBytes: costs.reduce((sum, { promised }) => sum + promised, 0) * MIB,
    };
  }

  /** The cost of a running stream, and the MiB that the stream has not taken yet: 0 for a restored stream. */
  #costOf(id: StreamId): { cpuPercent: number; promised: number } {
    const { machine, places, limits } = this.#parts;
    const place = places.find(id);
    if (place?.cost) return { cpuPercent: place.cost.cpuPercent, promised: 0 };
    if (!place?.expected || !isYoung(place, machine.elapsed(), limits)) return { cpuPercent: 0, promised: 0 };
    const { cpuPercent, mebibytes } = place.expected.estimate;
    return { cpuPercent, promised: Math.max(0, mebibytes - (place.takenMib ?? 0)) };
  }

  /** Whether the stream's start, which takes a whole core, is over. */
  #isSettled(id: StreamId): boolean {
    const { startedAt } = this.#parts.places.runOf(id);
    return startedAt !== undefined &&
      this.#parts.machine.elapsed() - startedAt >= this.#parts.limits.settledMs;
  }

  #samples(): Sample[] {
    return this.#parts.places.streams().flatMap((fields) => {
      const cost = this.#parts.places.find(fields.id)?.cost;
      return cost ? [{ fields, cost }] : [];
    });
  }

  /** Warns of restored streams beyond the limit, which does not keep them from running. */
  #sayTooMany(): void {
    const { places, places: { maxStreams }, ground: { addEvent } } = this.#parts;
    if (maxStreams === 0) return;
    const running = places.streams().filter(isAlwaysToRun);
    for (const { id } of running.slice(maxStreams)) {
      const text =
        `Restored, although ${running.length} streams are started and MAX_STREAMS allows ${maxStreams}.`;
      addEvent(id, "stream", text, "warn");
    }
  }
}

/** The answer to a start for which there is no room. */
export function noRoom(message: string, { short, why }: Refusal, estimate: Estimate): ServiceError {
  const capacity = { reason: why, short, ...estimate };
  return new ServiceError(409, message, undefined, { extra: { capacity } });
}

/** Why there was no room for a start, in short; null: the error has another reason. */
export function noRoomReason(error: unknown): string | null {
  const capacity = error instanceof ServiceError ? error.extra?.capacity : undefined;
  return capacity === undefined ? null : (capacity as { short: string }).short;
}

/** Null: the streams are not too many. @param most 0: no limit. */
const tooManyText = (count: number, most: number) =>
  most === 0 || count <= most ? null : `${count} streams would be started, and MAX_STREAMS allows ${most}`;

const forcedText = ({ why }: Refusal) => `Started on request, although ${why}.`;

/** The limit for streams whose number is checked already. */
const NO_MOST = 0;

/** The room where only the number of streams counts. */
const NO_LIMITS: Room = {
  cores: Infinity,
  processors: Infinity,
  machineCores: Infinity,
  tasks: null,
  memory: { availableBytes: Infinity, totalBytes: 0 },
  machineBytes: 0,
  runBytes: null,
};

/** Whether a stream is to run, whoever watches. */
export const isAlwaysToRun = ({ desiredState, onDemand }: Stream) => desiredState === "running" && !onDemand;

/** Whether a stream was admitted so lately that its cost is a guess. @param now ms of the steady clock. */
const isYoung = (
  place: Place | undefined,
  now: number,
  { settledMs }: Pick<Timings["admission"], "settledMs">,
) => now - (place?.expected?.at ?? -Infinity) < settledMs;

const mixed = (before: number, now: number) => before + NEWEST * (now - before);
