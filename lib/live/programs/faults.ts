/**
 * Finds the faults of a running stream's programs that supervisord cannot see. The present states are compared, so a
 * missed event costs nothing. Pure.
 *
 * - ffmpeg does not notice that its display or sound server died: it goes on with a frozen picture. Chromium stays silent.
 * - A program that hangs, or an encoder that writes nothing, runs as far as supervisord knows.
 * - supervisord gives a program up after 10 quick deaths; months later it may well work.
 */
import {
  PIPELINE_PROGRAMS,
  type ProgramKind,
  type ProgramState,
  wantedHelpers,
} from "../../model/programs.ts";
import type { Stream } from "../../model/schema.ts";
import { programName } from "../../machine/supervisor/program_files.ts";
import type { Program } from "../../machine/supervisor/status.ts";
import type { Timings } from "../../timings.ts";
import type { RestartCause } from "./restarts.ts";
import type { StreamEvent } from "../../model/answers/shapes.ts";

/** The faults of a program, each with the cause that its restart is counted under. */
export const FAULTS = {
  /** Another user has taken the display. */
  taken: "taken",
  /** The program is down for good. */
  down: "ended",
  /** The program works on something that was replaced. */
  outdated: "dependency",
  /** The program has done its work, which is due again. */
  done: "dependency",
  /** The program does not answer. */
  hung: "hung",
  /** The encoder gives no new picture. */
  starving: "starved",
  /** The encoder can have better pictures. */
  grabbing: "dependency",
  /** The browser uses more memory than its stream may. */
  memory: "memory",
  /** The stream's page has stored more than it may. */
  profile: "profile",
} as const satisfies Record<string, RestartCause>;

export interface Fault {
  type: keyof typeof FAULTS;
  kinds: ProgramKind[];
  /** Ends a sentence: "was restarted: …". */
  why: string;
  /** The fault's own sentence for the stream's events. */
  says?: Pick<StreamEvent, "kind" | "text" | "level">;
}

export interface Seen {
  programs: ReadonlyMap<string, Program>;
  playlistAgeMs: number | null;
  /** When the stream was started, in ms of the steady clock. */
  startedAt: number;
  /** Programs that do not answer, the cause of others first. */
  hung: readonly ProgramKind[];
  /** Whether another user of the machine has the stream's display. */
  isDisplayTaken: boolean;
  /** Milliseconds of the steady clock. */
  now: number;
}

/** States that supervisord leaves as they are: given up, or stopped by a restart that was cut off. */
const DOWN: ProgramState[] = ["FATAL", "STOPPED", "EXITED", "UNKNOWN"];

type Limits = Pick<Timings, "programRetrySeconds" | "encoderSilentSeconds">;

/** Whether `than` was started after `program`; `than` may still be starting. */
function isNewer(than: Program | undefined, program: Program | undefined): boolean {
  const isUp = than?.state === "RUNNING" || than?.state === "STARTING";
  // each program's start is known to the second; a group's members start together, hence the tolerance
  return isUp && program?.state === "RUNNING" && than.start - program.start > 1;
}

/** The first fault to repair; null if there is none. */
export function findFault(stream: Stream, seen: Seen, limits: Limits): Fault | null {
  if (seen.isDisplayTaken) {
    return { type: "taken", kinds: ["display"], why: "another user of this machine had taken its display" };
  }
  const of = (kind: ProgramKind) => seen.programs.get(programName(kind, stream.id));
  const [display, browser, encoder, audio] = (["display", "browser", "encoder", "audio"] as const).map(of);
  const isSettled = seen.now - seen.startedAt >= limits.programRetrySeconds * 1000;
  const down = PIPELINE_PROGRAMS.filter((kind) => {
    const program = of(kind);
    return program && isSettled && DOWN.includes(program.state) &&
      program.now - program.stop >= limits.programRetrySeconds;
  });
  if (down.length > 0) return { type: "down", kinds: down, why: "it was down and nothing started it again" };

  if (isNewer(display, encoder)) {
    return { type: "outdated", kinds: ["encoder"], why: "its display was restarted" };
  }
  // Chromium does not connect again either
  const deaf = (["browser", "encoder"] as const).filter((kind) => stream.audio && isNewer(audio, of(kind)));
  if (deaf.length > 0) return { type: "outdated", kinds: [...deaf], why: "the sound server was restarted" };

  const [hung] = seen.hung;
  if (hung !== undefined) return { type: "hung", kinds: [hung], why: "it did not answer" };

  const silent = silentSeconds(stream, encoder, seen);
  if (silent !== null && silent > limits.encoderSilentSeconds) {
    return { type: "starving", kinds: ["encoder"], why: `no new picture for ${Math.round(silent)} s` };
  }

  const autologin = of("autologin");
  const hasEnded = autologin?.state === "EXITED" || autologin?.state === "STOPPED";
  if (wantedHelpers(stream).includes("autologin") && browser?.state === "RUNNING" && hasEnded) {
    if (autologin.start < browser.start) {
      return { type: "done", kinds: ["autologin"], why: "the browser was restarted" };
    }
  }
  return null;
}

/** For how long the encoder could have written the playlist, and did not; null while it does not run. */
function silentSeconds(
  stream: Pick<Stream, "delay">,
  encoder: Program | undefined,
  { playlistAgeMs, startedAt, now }: Seen,
): number | null {
  if (encoder?.state !== "RUNNING") return null;
  const capturing = Math.min(encoder.now - encoder.start, (now - startedAt) / 1000 - stream.delay);
  return playlistAgeMs === null ? capturing : Math.min(capturing, playlistAgeMs / 1000);
}

/** The measurements of a running stream; null: there is none lately. */
export interface Measured {
  /** MiB that the browser uses. */
  mebibytes: number | null;
  /** Bytes of the browser's profile. */
  profileBytes: number | null;
  /** Whether the encoder grabs its display, and can have the capture program's pictures. */
  canHavePictures: boolean;
}

/**
 * Finds excess, or a possible gain, in a stream that is well otherwise. Where the kernel limits memory, the kernel ends
 * a page that leaks; in most containers it cannot, and such a page takes the machine's memory within weeks. Chromium
 * lets one page store more than half of the disk.
 * @param isDisturbing whether a restart would disturb somebody, or a browser was replaced just now.
 */
export function findExcess(
  { memoryLimitMb }: Pick<Stream, "memoryLimitMb">,
  { mebibytes, profileBytes, canHavePictures }: Measured,
  isDisturbing: boolean,
  maxProfileBytes: number,
): Fault | null {
  if (canHavePictures) {
    const why = "the capture program works again";
    const text = `The encoder was restarted: ${why}.`;
    return { type: "grabbing", kinds: ["encoder"], why, says: { kind: "program", text, level: "info" } };
  }
  if (profileBytes !== null && profileBytes > maxProfileBytes) {
    const [megabytes, most] = [profileBytes, maxProfileBytes].map((bytes) => Math.round(bytes / 1e6));
    const why = `the page stored ${megabytes} MB`;
    const text = `The page stored ${megabytes} MB, more than the ${most} MB it may: its profile is emptied.`;
    const says = { kind: "profile", text, level: "warn" } as const;
    return { type: "profile", kinds: [...PIPELINE_PROGRAMS], why, says };
  }
  if (mebibytes !== null && mebibytes > memoryLimitMb && !isDisturbing) {
    const why = `it used ${mebibytes} MiB, more than the ${memoryLimitMb} MiB it may`;
    const says = { kind: "program", text: `Browser restarted: ${why}.`, level: "warn" } as const;
    return { type: "memory", kinds: ["browser"], why, says };
  }
  return null;
}
