/**
 * The watch over running streams: what supervisord cannot see. It compares what is, so a missed event costs nothing.
 *
 * - ffmpeg does not notice that its display or sound server died: it goes on with a frozen picture. Chromium stays silent.
 * - A frozen encoder or media server leaves the playlist as it is.
 * - supervisord gives a program up after 10 quick deaths; months later it may well work.
 */
import { playlistAge } from "../media/hls.ts";
import { PIPELINE_PROGRAMS, type ProgramKind, programName } from "../supervisor/program_files.ts";
import type { Program } from "../supervisor/status.ts";
import { errorText, log } from "../system/log.ts";
import { wantedHelpers } from "../streams/affected_programs.ts";
import type { Stream } from "../streams/schema.ts";

const ROUND_MS = 1000;
/** Seconds an encoder may run without writing the playlist; its start takes 2 s, a full machine takes longer. */
const STALE_S = 12;
/** Seconds between two tries of a program that supervisord gave up. */
const RETRY_S = 30;

/** supervisord leaves these as they are: given up, or stopped by a restart that was cut off. */
const DOWN = ["FATAL", "STOPPED", "EXITED", "UNKNOWN"];

export interface Watched {
  streams(): readonly Stream[];
  programs(): Promise<ReadonlyMap<string, Program>>;
  startedAt(id: string): number | null;
  isBusy(id: string): boolean;
  /** Why the last start of the stream failed, or null. */
  problem(id: string): string | null;
  /** Starts a stream again whose start failed. */
  retry(id: string): Promise<void>;
  restartPrograms(id: string, kinds: ProgramKind[]): Promise<void>;
  hlsDir: string;
  now(): number;
}

/** Which programs of a stream have to restart, and why. Ages in seconds. Pure. */
export function findings(
  stream: Stream,
  programs: ReadonlyMap<string, Program>,
  playlistAgeSeconds: number | null,
  running: { startedAt: number; now: number },
): { kinds: ProgramKind[]; why: string } | null {
  const of = (kind: ProgramKind) => programs.get(programName(kind, stream.id));
  const [display, browser, encoder, audio] = [
    of("display"),
    of("browser"),
    of("encoder"),
    programs.get("audio"),
  ];
  const isSettled = running.now / 1000 - running.startedAt / 1000 >= RETRY_S;
  const down = PIPELINE_PROGRAMS.filter((kind) => {
    const program = of(kind);
    return program && isSettled && DOWN.includes(program.state) && program.now - program.stop >= RETRY_S;
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
    const capturingSince = Math.max(encoder.start, running.startedAt / 1000 + stream.delay);
    const capturing = running.now / 1000 - capturingSince;
    const silent = playlistAgeSeconds === null ? capturing : Math.min(capturing, playlistAgeSeconds);
    if (silent > STALE_S) return { kinds: ["encoder"], why: `no new segment for ${Math.round(silent)} s` };
  }

  const autologin = of("autologin");
  const hasEnded = autologin?.state === "EXITED" || autologin?.state === "STOPPED";
  if (wantedHelpers(stream).includes("autologin") && browser?.state === "RUNNING" && hasEnded) {
    if (autologin.start < browser.start) return { kinds: ["autologin"], why: "the browser was restarted" };
  }
  return null;
}

/** Watches until `signal` aborts. */
export function watch(watched: Watched, signal: AbortSignal): void {
  let rounds = 0;
  const round = async () => {
    const isRetryRound = ++rounds % RETRY_S === 0;
    const running = watched.streams().filter(({ desiredState }) => desiredState === "running");
    if (running.length === 0) return;
    const programs = await watched.programs();
    // not awaited: a stream that is slow to restart must not keep the others from being watched
    for (const stream of running) {
      look(stream, programs, isRetryRound).catch((error) =>
        log("warn", "watch failed", { stream: stream.id, error: errorText(error) })
      );
    }
  };
  const look = async (stream: Stream, programs: ReadonlyMap<string, Program>, isRetryRound: boolean) => {
    if (watched.isBusy(stream.id)) return;
    if (isRetryRound && watched.problem(stream.id)) return await watched.retry(stream.id);
    const startedAt = watched.startedAt(stream.id);
    if (startedAt === null) return;
    const age = await playlistAge(watched.hlsDir, stream.id, watched.now());
    const seconds = age === null ? null : age / 1000;
    const found = findings(stream, programs, seconds, { startedAt, now: watched.now() });
    if (!found || watched.isBusy(stream.id)) return;
    log("warn", "programs restarted", { stream: stream.id, programs: found.kinds, why: found.why });
    await watched.restartPrograms(stream.id, found.kinds);
  };
  const loop = async () => {
    while (!signal.aborted) {
      await round().catch((error) => log("warn", "watch round failed", { error: errorText(error) }));
      await new Promise((done) => setTimeout(done, ROUND_MS));
    }
  };
  loop();
}
