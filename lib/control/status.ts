/** A stream's state, from what supervisord and the media server show. Pure. */
import { HELPER_PROGRAMS, PIPELINE_PROGRAMS, programName } from "../supervisor/program_files.ts";
import type { Program } from "../supervisor/status.ts";
import type { Stream, StreamStatus } from "../streams/schema.ts";

/** Seconds a stream may take to its first segment, after its delay. */
export const START_GRACE_SECONDS = 20;

/** Milliseconds after which a playlist without a new segment counts as stale; segments last 1 to 4 s. */
export const STALE_MS = 6000;

export interface Evidence {
  programs: ReadonlyMap<string, Program>;
  /** Milliseconds since the playlist was written; null if there is none. */
  playlistAge: number | null;
  /** Unix time in ms of the stream's start; null if it was not started. */
  startedAt: number | null;
  /** Why it could not be started. */
  problem?: string | null;
  now: number;
}

/** Programs in trouble, the worst first. */
function troubled(programs: Program[]): Program | undefined {
  const worst = ["FATAL", "UNKNOWN", "BACKOFF", "EXITED", "STOPPED", "STOPPING"];
  for (const state of worst) {
    const found = programs.find((program) => program.state === state);
    if (found) return found;
  }
}

/** The state and, for degraded and failed, the program to blame. */
export function streamStatus(stream: Stream, evidence: Evidence): StreamStatus & { blamed?: Program } {
  const named = (kinds: readonly string[]) =>
    kinds.map((kind) => evidence.programs.get(programName(kind as never, stream.id))).filter((p) =>
      p !== undefined
    );
  const channel = named(PIPELINE_PROGRAMS);
  const status = (state: StreamStatus["state"], reason?: string, blamed?: Program) => ({
    id: stream.id,
    state,
    ...(reason ? { reason } : {}),
    programs: [...channel, ...named(HELPER_PROGRAMS)].map(({ name, state, pid, start, now }) => ({
      name,
      state,
      pid,
      uptime: state === "RUNNING" ? Math.max(0, now - start) : 0,
    })),
    blamed,
  });

  const anyAlive = channel.some((program) => ["RUNNING", "STARTING", "BACKOFF"].includes(program.state));
  if (stream.desiredState === "stopped") return status(anyAlive ? "running" : "stopped");

  if (evidence.problem) return status("failed", evidence.problem);
  const seconds = evidence.startedAt === null ? null : (evidence.now - evidence.startedAt) / 1000;
  const young = seconds === null || seconds < stream.delay + START_GRACE_SECONDS;
  const problem = troubled(channel);
  if (problem?.state === "FATAL") return status("failed", `${problem.name} cannot be started`, problem);
  if (channel.length < PIPELINE_PROGRAMS.length || !anyAlive) {
    return young ? status("starting") : status("failed", "its programs are not running", problem);
  }
  if (problem && !young) return status("degraded", `${problem.name} is down and being restarted`, problem);
  const fresh = evidence.playlistAge !== null && evidence.playlistAge < STALE_MS;
  if (problem || (!fresh && young)) return status("starting");
  if (fresh) return status("running");
  const encoder = channel.find((program) => program.name === programName("encoder", stream.id));
  const since = evidence.playlistAge === null ? "" : ` for ${Math.round(evidence.playlistAge / 1000)} s`;
  return status("degraded", `no new picture${since}`, encoder);
}
