/** A stream's state, from everything that its parts have seen. Only this file ranks the causes. Pure. */
import {
  HELPER_PROGRAMS,
  isAlive,
  PIPELINE_PROGRAMS,
  type ProgramKind,
  PROGRAMS,
  type ProgramState,
} from "../model/programs.ts";
import type { Stream } from "../model/schema.ts";
import { isTrouble, type Trouble, TROUBLES, troubleText } from "../model/answers/page_health.ts";
import { hasPictures, isAtRest } from "../model/answers/status.ts";
import { programName } from "../machine/supervisor/program_files.ts";
import type { Program } from "../machine/supervisor/status.ts";
import type { Timings } from "../timings.ts";
import type { PageHealth, Recreation, StreamStatus } from "../model/answers/shapes.ts";

/** The facts that decide a state. */
export interface Observation {
  programs: ReadonlyMap<string, Program>;
  /** Milliseconds since the playlist was written; null: there is none. A stream that is to be stopped needs none. */
  playlistAgeMs: number | null;
  /** When the stream was started, in ms of the steady clock; null if it was not. */
  startedAt: number | null;
  /** Why the stream could not be started. */
  problem?: string | null;
  /** Why it waits for room, while it is stopped or waits for a viewer. */
  noRoom?: string | null;
  /** The stream runs only while somebody watches, and nobody does. */
  isWaiting?: boolean;
  /** When the stream returns that its plan has off the air (Unix ms); null: never; undefined: it is on. */
  returnsAt?: number | null;
  /** The next time at which the plan changes the pages on the air, Unix ms. */
  changesAt?: number;
  /** When the plan's next time begins, Unix ms. */
  nextTimeAt?: number;
  /** The page that is shown next, where several take turns. */
  nextPage?: StreamStatus["nextPage"] | null;
  /** The page's health; null: the stream does not run. */
  health?: PageSeen | null;
  /** How far the recreation is, or why the last recreation failed. */
  recreation?: Recreation | null;
  /** When the thumbnail was captured, Unix ms. */
  thumbAt?: number;
  /** When the picture last changed, Unix ms; null: that is not known. */
  lastChangeAt?: number | null;
  /** The program that is left alone for now, and the text for people. */
  gaveUp?: { kind: ProgramKind; text: string } | null;
  /** Milliseconds of the steady clock. */
  now: number;
}

/** The health of a stream's page. */
export interface PageSeen {
  /** Null while it is unknown. */
  page: PageHealth | null;
  /** The trouble around the page. */
  around: Trouble | undefined;
  isDiskFull: boolean;
}

type Limits = Pick<Timings, "startGraceSeconds" | "playlistStaleMs">;

interface Found extends Program {
  kind: ProgramKind;
}

const WORST_FIRST: ProgramState[] = ["FATAL", "UNKNOWN", "BACKOFF", "EXITED", "STOPPED", "STOPPING"];

/** The program that is worst off; undefined when all run. */
function worstProgram(programs: Found[]): Found | undefined {
  return WORST_FIRST.map((state) => programs.find((program) => program.state === state)).find((one) => one);
}

/** The name that people read; the program's log says more. */
const label = ({ kind }: Found) => PROGRAMS[kind].label;

/** The stream's state, with its page. A reason is about `program`, or about `trouble`. */
export function statusOf(stream: Stream, seen: Observation, limits: Limits): StreamStatus {
  const status = programStatus(stream, seen, limits);
  const { recreation, thumbAt, health, noRoom, changesAt, nextTimeAt, nextPage, lastChangeAt } = seen;
  if (changesAt !== undefined) status.changesAt = changesAt;
  if (nextTimeAt !== undefined) status.nextTimeAt = nextTimeAt;
  if (nextPage) status.nextPage = nextPage;
  if ((status.state === "stopped" || status.state === "waiting") && noRoom) status.noRoom = noRoom;
  if (recreation) status.recreate = recreation;
  if (recreation && recreation.step !== "failed" && stream.desiredState === "running") {
    // whatever its programs are doing meanwhile
    Object.assign(status, { state: "starting", reason: undefined, program: undefined });
  }
  if (thumbAt !== undefined) status.thumbAt = thumbAt;
  status.lastChangeAt = hasPictures(status.state) ? lastChangeAt ?? null : null;
  return health ? withPage(status, health) : status;
}

/** The status with the page's health: green is for a channel that shows its page. */
export function withPage(status: StreamStatus, { page, around, isDiskFull }: PageSeen): StreamStatus {
  if (isAtRest(status.state) || status.state === "failed") return status;
  const shown: StreamStatus = page ? { ...status, page } : status;
  if (status.state === "degraded") {
    // a full disk stops channels: a reason with the programs only would lead people to the wrong place
    const cause = "disk-full";
    return isDiskFull
      ? { ...shown, trouble: cause, reason: `${status.reason} ${TROUBLES[cause].says}` }
      : shown;
  }
  const own = page && isTrouble(page.state) ? page.state : undefined;
  const trouble = own ?? around;
  if (!trouble) return shown;
  const seen = TROUBLES[trouble].isAround ? { status: null, error: null } : page!;
  return { ...shown, state: "degraded", trouble, reason: troubleText(trouble, seen) };
}

/** The state by the stream's programs and channel. */
function programStatus(stream: Stream, seen: Observation, limits: Limits): StreamStatus {
  const found = (kinds: ProgramKind[]): Found[] =>
    kinds.flatMap((kind) => {
      const program = seen.programs.get(programName(kind, stream.id));
      return program ? [{ ...program, kind }] : [];
    });
  const pipeline = found(PIPELINE_PROGRAMS);
  const status = (state: StreamStatus["state"], reason?: string, program?: ProgramKind): StreamStatus => ({
    id: stream.id,
    state,
    ...(reason ? { reason } : {}),
    ...(program ? { program } : {}),
    programs: [...pipeline, ...found(HELPER_PROGRAMS)].map(({ name, state, pid, start, now }) => ({
      name,
      state,
      pid,
      uptime: state === "RUNNING" ? Math.max(0, now - start) : 0,
    })),
  });

  const isAnyAlive = pipeline.some((program) => isAlive(program.state));
  if (stream.desiredState === "stopped") return status(isAnyAlive ? "running" : "stopped");

  if (seen.returnsAt !== undefined) {
    return { ...status("planned"), ...(seen.returnsAt === null ? {} : { returnsAt: seen.returnsAt }) };
  }
  if (seen.isWaiting) return status("waiting");
  if (seen.problem) return status("failed", seen.problem);
  const isFresh = seen.playlistAgeMs !== null && seen.playlistAgeMs < limits.playlistStaleMs;
  if (seen.gaveUp) {
    const { kind, text } = seen.gaveUp;
    return status(isFresh ? "degraded" : "failed", `${PROGRAMS[kind].label} ${text}`, kind);
  }
  const seconds = seen.startedAt === null ? null : (seen.now - seen.startedAt) / 1000;
  const isYoung = seconds === null || seconds < stream.delay + limits.startGraceSeconds;
  const worst = worstProgram(pipeline);
  if (worst?.state === "FATAL") {
    // a silent channel is better than none
    const state = worst.kind === "audio" ? "degraded" : "failed";
    return status(state, `${label(worst)} cannot be started.`, worst.kind);
  }
  if (pipeline.length < PIPELINE_PROGRAMS.length || !isAnyAlive) {
    return isYoung ? status("starting") : status("failed", "Its programs do not run.", worst?.kind);
  }
  if (worst && !isYoung) {
    return status("degraded", `${label(worst)} is down and being restarted.`, worst.kind);
  }
  if (worst || (isYoung && (!isFresh || seen.health?.page?.state === "opening"))) return status("starting");
  if (isFresh) return status("running");
  const since = seen.playlistAgeMs === null ? "" : ` for ${Math.round(seen.playlistAgeMs / 1000)} s`;
  return status("degraded", `No new picture${since}.`, "encoder");
}
