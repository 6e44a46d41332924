/**
 * Finds programs of running streams that hang or work on something that is gone, and restarts them: what supervisord
 * cannot see. It compares what there is, so a missed event costs nothing.
 *
 * - ffmpeg does not notice that its display or sound server died: it goes on with a frozen picture. Chromium stays silent.
 * - A frozen encoder or media server leaves the playlist as it is.
 * - supervisord gives a program up after 10 quick deaths; months later it may well work.
 */
import { playlistAge } from "../media/hls.ts";
import {
  PIPELINE_PROGRAMS,
  type ProgramKind,
  type ProgramState,
  wantedHelpers,
} from "../streams/programs.ts";
import type { Stream } from "../streams/schema.ts";
import type { StreamStore } from "../streams/store.ts";
import { programName } from "../supervisor/program_files.ts";
import type { Program, ProgramStatus } from "../supervisor/status.ts";
import { errorText, log } from "../system/log.ts";
import type { Part } from "../system/part.ts";
import { Loop } from "../system/time.ts";
import type { Timings } from "../timings.ts";
import type { Reconciler } from "./reconciler.ts";

/** supervisord leaves these as they are: given up, or stopped by a restart that was cut off. */
const DOWN: ProgramState[] = ["FATAL", "STOPPED", "EXITED", "UNKNOWN"];

type Limits = Pick<Timings, "programRetrySeconds" | "encoderSilentSeconds" | "programRoundMs">;

/** Which programs of a stream have to restart, and why. Pure. */
export function stalePrograms(
  stream: Stream,
  programs: ReadonlyMap<string, Program>,
  seen: { playlistAgeMs: number | null; startedAt: number; now: number },
  { programRetrySeconds, encoderSilentSeconds }: Limits,
): { kinds: ProgramKind[]; why: string } | null {
  const of = (kind: ProgramKind) => programs.get(programName(kind, stream.id));
  const [display, browser, encoder, audio] = [
    of("display"),
    of("browser"),
    of("encoder"),
    of("audio"),
  ];
  const isSettled = seen.now / 1000 - seen.startedAt / 1000 >= programRetrySeconds;
  const down = PIPELINE_PROGRAMS.filter((kind) => {
    const program = of(kind);
    return program && isSettled && DOWN.includes(program.state) &&
      program.now - program.stop >= programRetrySeconds;
  });
  if (down.length > 0) return { kinds: down, why: "it was down and nobody tried again" };

  // each program's start is known to the second; a group's members start together, hence the tolerance
  const isStale = (program?: Program, than?: Program) =>
    program?.state === "RUNNING" && than?.state === "RUNNING" && than.start - program.start > 1;
  if (isStale(encoder, display)) return { kinds: ["encoder"], why: "its display was restarted" };
  // Chromium does not connect again either
  const deaf = (["browser", "encoder"] as const).filter((kind) => stream.audio && isStale(of(kind), audio));
  if (deaf.length > 0) return { kinds: [...deaf], why: "the sound server was restarted" };

  if (encoder?.state === "RUNNING") {
    const capturingSince = Math.max(encoder.start, seen.startedAt / 1000 + stream.delay);
    const capturing = seen.now / 1000 - capturingSince;
    const silent = seen.playlistAgeMs === null ? capturing : Math.min(capturing, seen.playlistAgeMs / 1000);
    if (silent > encoderSilentSeconds) {
      return { kinds: ["encoder"], why: `no new segment for ${Math.round(silent)} s` };
    }
  }

  const autologin = of("autologin");
  const hasEnded = autologin?.state === "EXITED" || autologin?.state === "STOPPED";
  if (wantedHelpers(stream).includes("autologin") && browser?.state === "RUNNING" && hasEnded) {
    if (autologin.start < browser.start) return { kinds: ["autologin"], why: "the browser was restarted" };
  }
  return null;
}

export interface ProgramWatchdogParts {
  store: Pick<StreamStore, "list">;
  status: Pick<ProgramStatus, "programs">;
  reconciler: Pick<Reconciler, "spec" | "problem" | "isBusy" | "retry" | "restartPrograms">;
  hlsDir: string;
  limits: Limits;
  now: () => number;
}

export class ProgramWatchdog implements Part {
  #parts: ProgramWatchdogParts;
  #loop = new Loop();
  #retryAt = 0;

  constructor(parts: ProgramWatchdogParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(
      this.#parts.limits.programRoundMs,
      () => this.round().catch((error) => log("warn", "watch round failed", { error: errorText(error) })),
    );
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Checks every running stream once. */
  async round(): Promise<void> {
    const { store, status, limits, now } = this.#parts;
    const running = store.list().filter(({ desiredState }) => desiredState === "running");
    if (running.length === 0) return;
    const isRetryRound = now() >= this.#retryAt;
    if (isRetryRound) this.#retryAt = now() + limits.programRetrySeconds * 1000;
    // as old as a round, but for its own length
    const programs = await status.programs(limits.programRoundMs * 0.9);
    // not awaited: a stream that is slow to restart must not keep the others from being watched
    for (const stream of running) {
      this.#check(stream, programs, isRetryRound).catch((error) =>
        log("warn", "watch failed", { stream: stream.id, error: errorText(error) })
      );
    }
  }

  async #check(stream: Stream, programs: ReadonlyMap<string, Program>, isRetryRound: boolean): Promise<void> {
    const { reconciler, hlsDir, limits, now } = this.#parts;
    const { id } = stream;
    if (reconciler.isBusy(id)) return;
    if (isRetryRound && reconciler.problem(id)) return await reconciler.retry(id);
    const startedAt = reconciler.spec(id)?.startedAt;
    if (startedAt === undefined) return;
    const playlistAgeMs = await playlistAge(hlsDir, id, now());
    const found = stalePrograms(stream, programs, { playlistAgeMs, startedAt, now: now() }, limits);
    if (!found || reconciler.isBusy(id)) return;
    log("warn", "programs restarted", { stream: id, programs: found.kinds, why: found.why });
    await reconciler.restartPrograms(id, found.kinds);
  }
}
