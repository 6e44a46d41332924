/** What the streams take of the machine, and who watches them: measured when somebody asks, and not too often. */
import type { StreamFigures } from "../streams/figures.ts";
import type { StreamId } from "../streams/id.ts";
import type { Program } from "../supervisor/status.ts";
import type { Timings } from "../timings.ts";

export interface FiguresParts {
  ids(): StreamId[];
  programs(): Promise<ReadonlyMap<string, Program>>;
  /** The stream's programs among those of the supervisor. */
  programsOf(id: StreamId): readonly string[];
  /** Milliseconds on a processor, of each process with what it has started. */
  processorTimes(pids: number[]): Promise<Map<number, number>>;
  /** Bytes, of each process with what it has started. */
  memory(pids: number[]): Promise<Map<number, number>>;
  viewers(id: StreamId): number;
  limits: Pick<Timings, "figuresMs">;
  now(): number;
}

interface Measured {
  at: number;
  times: Map<number, number>;
  memory: Map<number, number>;
}

const MIB = 1024 * 1024;
/** Measurements that belong together are at most so many intervals apart. */
const RECENT = 4;

export class Figures {
  #parts: FiguresParts;
  #last: Measured | null = null;
  #before: Measured | null = null;
  #measuring: Promise<void> | null = null;

  constructor(parts: FiguresParts) {
    this.#parts = parts;
  }

  /** The figures of all streams; what they take is up to `figuresMs` old. */
  async all(): Promise<Record<string, StreamFigures>> {
    const { ids, programs, programsOf, viewers } = this.#parts;
    const known = await programs();
    const pids = new Map(
      ids().map((id) => [
        id,
        programsOf(id).flatMap((name) => {
          const program = known.get(name);
          return program && program.pid > 0 ? [program.pid] : [];
        }),
      ]),
    );
    await (this.#measuring ??= this.#measure([...pids.values()].flat()).finally(() =>
      this.#measuring = null
    ));
    const figures = [...pids].map(([id, own]) => [id, { viewers: viewers(id), ...this.#costOf(own) }]);
    return Object.fromEntries(figures);
  }

  async #measure(pids: number[]): Promise<void> {
    const { processorTimes, memory, limits, now } = this.#parts;
    const at = now();
    if (this.#last && at - this.#last.at < limits.figuresMs) return;
    const [times, bytes] = await Promise.all([processorTimes(pids), memory(pids)]);
    // of an hour ago, before anybody looked, it would say little of now
    this.#before = this.#last && at - this.#last.at < RECENT * limits.figuresMs ? this.#last : null;
    this.#last = { at, times, memory: bytes };
  }

  #costOf(pids: number[]): Pick<StreamFigures, "cpuPercent" | "mebibytes"> {
    const [last, before] = [this.#last!, this.#before];
    const bytes = pids.reduce((sum, pid) => sum + (last.memory.get(pid) ?? 0), 0);
    const timed = pids.filter((pid) => last.times.has(pid) && before?.times.has(pid));
    const spent = timed.reduce((sum, pid) => sum + last.times.get(pid)! - before!.times.get(pid)!, 0);
    return {
      cpuPercent: timed.length > 0 ? Math.max(0, Math.round(100 * spent / (last.at - before!.at))) : null,
      mebibytes: bytes > 0 ? Math.round(bytes / MIB) : null,
    };
  }
}
