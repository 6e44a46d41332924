/** The costs and the viewers of the streams: measured on request, and not too often. */
import type { Placement } from "../cluster/placement.ts";
import type { StreamId } from "../model/id.ts";
import { PROGRAM_KINDS, type ProgramKind } from "../model/programs.ts";
import { programName } from "../machine/supervisor/program_files.ts";
import type { Program } from "../machine/supervisor/status.ts";
import type { Machine } from "../machine/machine.ts";
import type { Timings } from "../timings.ts";
import { SHARED_NAMES, type SharedName } from "../live/programs/shared_words.ts";
import type { PushReport } from "../model/answers/push.ts";
import type { Cost, StreamFigures } from "../model/answers/shapes.ts";

export interface FiguresParts {
  ids(): StreamId[];
  programs(): Promise<ReadonlyMap<string, Program>>;
  machine: Pick<Machine, "processorTimes" | "memory" | "elapsed">;
  viewers(id: StreamId): number;
  /** Pictures a second of a stream's channel; null while there is no channel. */
  pictureRate(id: StreamId): Promise<number | null>;
  /** The report of a stream's push; null while there is no push. */
  push(id: StreamId): PushReport | null;
  limits: Pick<Timings, "figuresMs">;
  placement: Pick<Placement, "tells" | "figures">;
}

/** The cost of one program. */
export interface ProgramCost {
  /** Null for a program that all streams share. */
  stream: StreamId | null;
  program: ProgramKind | SharedName | "web";
  /** Seconds on a processor since the first measurement, over all the program's starts; never falls. */
  cpuSeconds: number;
  /** Null while the program does not run. */
  bytes: number | null;
}

/** A program with its name at the supervisor. */
type Known = Pick<ProgramCost, "stream" | "program"> & { name: string; pid: number };

interface Measured {
  at: number;
  times: Map<number, number>;
  memory: Map<number, number>;
}

type Rates = ReadonlyMap<StreamId, number | null>;

const MIB = 1024 * 1024;
/** Measurements that belong together are at most so many intervals apart. */
const RECENT = 4;
const SHARED = [...SHARED_NAMES, "web"] as const;

export class Figures {
  #parts: FiguresParts;
  #last: Measured | null = null;
  #before: Measured | null = null;
  #measuring: Promise<void> | null = null;
  #rates: { at: number; all: Promise<Rates> } | null = null;
  /** Milliseconds on a processor by the program's name: of its last process, and of all its processes. */
  #spent = new Map<string, { pid: number; ms: number; totalMs: number }>();

  constructor(parts: FiguresParts) {
    this.#parts = parts;
  }

  /** All streams' figures; costs are up to `figuresMs` old. @throws {Error} when the supervisor does not answer. */
  async all(): Promise<Record<string, StreamFigures>> {
    return (await this.summary()).streams;
  }

  /** As `all`, with the cost of this machine's streams together and of its shared programs. */
  async summary(): Promise<{ streams: Record<string, StreamFigures>; cost: Cost }> {
    const { placement } = this.#parts;
    const { streams, cost } = await this.#own();
    const told = await placement.figures();
    const all = Object.entries(streams).map(([name, own]) => {
      const { figures, viewers } = told(name as StreamId);
      const shown = placement.tells(name as StreamId) ? own : figures ?? own;
      // each node counts the viewers that ask it
      return [name, { ...shown, viewers: own.viewers + viewers }];
    });
    return { streams: Object.fromEntries(all), cost };
  }

  /** The figures that this machine tells another node: of the streams that it runs, and of streams that are watched here. */
  async told(): Promise<Record<string, StreamFigures>> {
    const { placement } = this.#parts;
    const { streams } = await this.#own();
    const said = Object.entries(streams)
      .filter(([id, { viewers }]) => viewers > 0 || placement.tells(id as StreamId));
    return Object.fromEntries(said);
  }

  /** What this machine knows by itself. */
  async #own(): Promise<{ streams: Record<string, StreamFigures>; cost: Cost }> {
    const { viewers, push } = this.#parts;
    const { streams, cost } = await this.costs();
    const rates = await this.#pictureRates();
    const figures = Object.entries(streams).map(([name, cost]) => {
      const id = name as StreamId;
      return [id, { viewers: viewers(id), fps: rates.get(id) ?? null, push: push(id), ...cost }];
    });
    return { streams: Object.fromEntries(figures), cost };
  }

  /** The cost of each stream, and of all streams together with the shared programs. @throws {Error} as `all`. */
  async costs(): Promise<{ streams: Record<string, Cost>; cost: Cost }> {
    const running = (await this.#measured()).filter(({ pid }) => pid > 0);
    const byStream = Map.groupBy(running, ({ stream }) => stream);
    const streams = this.#parts.ids().map((id) => [id, this.#costOf(byStream.get(id) ?? [])]);
    return { streams: Object.fromEntries(streams), cost: this.#costOf(running) };
  }

  /** The cost of each program so far. @throws {Error} when the supervisor does not answer. */
  async programs(): Promise<ProgramCost[]> {
    const known = await this.#measured();
    return known.map(({ stream, program, name, pid }) => ({
      stream,
      program,
      cpuSeconds: (this.#spent.get(name)?.totalMs ?? 0) / 1000,
      bytes: this.#last!.memory.get(pid) ?? null,
    }));
  }

  /** All existing programs, after a measurement that is not too old. */
  async #measured(): Promise<Known[]> {
    const { ids, programs } = this.#parts;
    const found = await programs();
    const known = (name: string, stream: Known["stream"], program: Known["program"]): Known[] => {
      const pid = found.get(name)?.pid;
      return pid === undefined ? [] : [{ stream, program, name, pid }];
    };
    const all = [
      ...ids().flatMap((id) => PROGRAM_KINDS.flatMap((kind) => known(programName(kind, id), id, kind))),
      ...SHARED.flatMap((name) => known(name, null, name)),
    ];
    await (this.#measuring ??= this.#measure(all).finally(() => this.#measuring = null));
    return all;
  }

  async #measure(all: readonly Known[]): Promise<void> {
    const { machine: { processorTimes, memory, elapsed }, limits } = this.#parts;
    const at = elapsed();
    if (this.#last && at - this.#last.at < limits.figuresMs) return;
    const running = all.filter(({ pid }) => pid > 0);
    const pids = running.map(({ pid }) => pid);
    const [times, bytes] = await Promise.all([processorTimes(pids), memory(pids)]);
    const isFirst = this.#last === null;
    // an hour-old measurement would say little about the present
    this.#before = this.#last && at - this.#last.at < RECENT * limits.figuresMs ? this.#last : null;
    this.#last = { at, times, memory: bytes };
    for (const { name, pid } of running) this.#addTime(name, pid, times.get(pid), isFirst);
    const names = new Set(all.map(({ name }) => name));
    for (const name of this.#spent.keys()) if (!names.has(name)) this.#spent.delete(name);
  }

  /** The picture rates, for people alone: a segment of each channel is fetched. */
  async #pictureRates(): Promise<Rates> {
    const { limits, machine: { elapsed } } = this.#parts;
    if (!this.#rates || elapsed() - this.#rates.at >= limits.figuresMs) {
      this.#rates = { at: elapsed(), all: this.#countPictures() };
    }
    return await this.#rates.all;
  }

  async #countPictures(): Promise<Rates> {
    const { ids, programs, pictureRate } = this.#parts;
    const found = await programs();
    const encoded = ids().filter((id) => (found.get(programName("encoder", id))?.pid ?? 0) > 0);
    return new Map(await Promise.all(encoded.map(async (id) => [id, await pictureRate(id)] as const)));
  }

  /**
   * A process's time begins anew with each start, and falls when a process that it had started leaves it. The time
   * before the first measurement does not count: each restart of the web app would count that time once more.
   */
  #addTime(name: string, pid: number, ms: number | undefined, isFirst: boolean): void {
    if (ms === undefined) return;
    const known = this.#spent.get(name);
    const more = known?.pid === pid ? Math.max(0, ms - known.ms) : isFirst ? 0 : ms;
    this.#spent.set(name, { pid, ms, totalMs: (known?.totalMs ?? 0) + more });
  }

  #costOf(running: readonly Known[]): Cost {
    const [last, before] = [this.#last!, this.#before];
    const pids = running.map(({ pid }) => pid);
    const bytes = pids.reduce((sum, pid) => sum + (last.memory.get(pid) ?? 0), 0);
    const timed = pids.filter((pid) => last.times.has(pid) && before?.times.has(pid));
    const spent = timed.reduce((sum, pid) => sum + last.times.get(pid)! - before!.times.get(pid)!, 0);
    return {
      cpuPercent: timed.length > 0 ? Math.max(0, Math.round(100 * spent / (last.at - before!.at))) : null,
      mebibytes: bytes > 0 ? Math.round(bytes / MIB) : null,
    };
  }
}
