/**
 * Finds encoders that do not keep up, and those that send silence since the sound server was not there at their start.
 * ffmpeg's own log says neither for sure: it warns of full queues at each start, and counts no picture that it never took.
 * One that grabs its display since the capture program was not there is started again for the next capture program.
 */
import type { AddEvent } from "../../model/events.ts";
import type { StreamId } from "../../model/id.ts";
import { programName } from "../../supervisor/program_files.ts";
import type { Program } from "../../supervisor/status.ts";
import { errorText, log } from "../../system/log.ts";
import type { Part } from "../../system/part.ts";
import { busiestThread, type ThreadTimes } from "../../system/thread_load.ts";
import { Loop } from "../../system/time.ts";
import type { Timings } from "../../timings.ts";
import type { PageHealth } from "../page/health.ts";
import type { CountRestarts } from "./restarts.ts";

/** What is seen of an encoder's process. */
export interface EncoderProcess {
  threads: ThreadTimes;
  commandLine: string;
}

export interface EncoderWatchParts {
  /** The streams that run, and whether they are to have the page's sound. */
  running(): readonly { id: StreamId; audio: boolean }[];
  programs(): Promise<ReadonlyMap<string, Program>>;
  /** Null when there is no such process. */
  look(pid: number): Promise<EncoderProcess | null>;
  health: Pick<PageHealth, "report">;
  /** Whether somebody works on the stream. */
  isBusy(id: StreamId): boolean;
  /** Whether encoders are to have the capture program's pictures where they can. */
  areChangesTaken: boolean;
  restartEncoder(id: StreamId): Promise<void>;
  addEvent: AddEvent;
  countRestarts: CountRestarts;
  limits: Pick<Timings, "encoderCheckMs" | "encoderReturnMs">;
  elapsed(): number;
}

/** A thread that never rests for three checks cannot do more; it has to rest for as long until that counts as over. */
const FULL = 0.97;
const CHECKS = 3;

interface Watched {
  pid: number;
  at: number;
  threads: ThreadTimes;
  /** Checks in a row: above 0 of a full encoder, below 0 of one that rests. */
  inRow: number;
}

export class EncoderWatch implements Part {
  #parts: EncoderWatchParts;
  #watched = new Map<StreamId, Watched>();
  #loop = new Loop("encoders not watched", "debug");

  constructor(parts: EncoderWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(this.#parts.limits.encoderCheckMs, () => this.round());
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Looks at every encoder once. */
  async round(): Promise<void> {
    const streams = this.#parts.running();
    const programs = await this.#parts.programs();
    for (const id of this.#watched.keys()) {
      if (!streams.some((one) => one.id === id)) this.#watched.delete(id);
    }
    for (const { id, audio } of streams) {
      const program = programs.get(programName("encoder", id));
      if (program?.state === "RUNNING") await this.#check(id, audio, program, programs.get("capture"));
    }
  }

  async #check(
    id: StreamId,
    audio: boolean,
    program: Program,
    capture: Program | undefined,
  ): Promise<void> {
    const { look, health, elapsed } = this.#parts;
    const { pid } = program;
    const seen = await look(pid);
    // until it has become ffmpeg, it is the program that prepares it
    if (!seen?.commandLine.includes("ffmpeg")) return;
    health.report(id, "no-sound", audio && seen.commandLine.includes("anullsrc") ? "" : null);
    if (seen.commandLine.includes("x11grab") && this.#mayReturn(id, program, capture)) {
      return await this.#return(id);
    }
    const before = this.#watched.get(id);
    const at = elapsed();
    let inRow = 0;
    if (before?.pid === pid && at > before.at) {
      const isFull = busiestThread(before.threads, seen.threads, at - before.at) >= FULL;
      inRow = isFull ? Math.max(before.inRow, 0) + 1 : Math.min(before.inRow, 0) - 1;
    }
    this.#watched.set(id, { pid, at, threads: seen.threads, inRow });
    if (inRow >= CHECKS) health.report(id, "encoder-slow", "");
    else if (inRow <= -CHECKS) health.report(id, "encoder-slow", null);
  }

  /**
   * Whether an encoder that grabs its display can have its pictures now: not by the capture program that refused it, but by
   * one that was started since, and has lasted. So a display that cannot be captured costs one restart at most.
   */
  #mayReturn(id: StreamId, encoder: Program, capture: Program | undefined): boolean {
    const { areChangesTaken, isBusy, limits } = this.#parts;
    if (!areChangesTaken || isBusy(id) || capture?.state !== "RUNNING") return false;
    return capture.start > encoder.start && (capture.now - capture.start) * 1000 >= limits.encoderReturnMs;
  }

  async #return(id: StreamId): Promise<void> {
    const { restartEncoder, addEvent, countRestarts } = this.#parts;
    countRestarts(id, ["encoder"], "dependency");
    addEvent(id, "program", "The encoder was restarted: pictures can be taken of what changes again.");
    await restartEncoder(id).catch((error) =>
      log("warn", "encoder not restarted", { stream: id, error: errorText(error) })
    );
  }
}
