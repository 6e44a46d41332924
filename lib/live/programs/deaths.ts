/** Finds the programs that were restarted since the last round, and why: supervisord reports no restart. Pure. */
import { isAlive, type ProgramKind } from "../../model/programs.ts";
import type { Program } from "../../machine/supervisor/status.ts";

/** The programs whose end also ends a program, or soon after. */
const NEEDS: Record<ProgramKind, readonly ProgramKind[]> = {
  display: [],
  audio: [],
  wm: ["display"],
  browser: ["display", "audio"],
  encoder: ["display", "audio"],
  autologin: ["browser"],
  autoreload: [],
  push: [],
};

/** The programs' names for people. */
export const PROGRAM_WORDS: Record<ProgramKind, string> = {
  display: "display",
  wm: "window manager",
  browser: "browser",
  encoder: "encoder",
  audio: "sound server",
  autologin: "sign-in helper",
  autoreload: "reload helper",
  push: "push",
};

export interface Death {
  kind: ProgramKind;
  /** The program whose end was the cause; null: the program ended by itself, or was killed. */
  cause: ProgramKind | "media" | null;
}

/** A stream's programs, as far as supervisord knows them, and the media server. */
export type ProgramsOfStream = ReadonlyMap<ProgramKind | "media", Program>;

/** The last known pids; a program that is down now has its pid of before. */
export type Pids = ReadonlyMap<ProgramKind | "media", number>;

export function pidsOf(programs: ProgramsOfStream, before: Pids = new Map()): Pids {
  return new Map([
    ...before,
    ...[...programs].flatMap(([kind, { pid }]) => pid > 0 ? [[kind, pid] as const] : []),
  ]);
}

/** The programs that have another pid than before. A program that was not running before is no death. */
export function deathsSince(before: Pids, programs: ProgramsOfStream, causeMs: number): Death[] {
  const replaced = [...programs].flatMap(([kind, { pid }]) =>
    kind !== "media" && pid > 0 && before.has(kind) && before.get(kind) !== pid ? [kind] : []
  );
  return replaced.map((kind) => {
    const { start } = programs.get(kind)!;
    const needs = [...NEEDS[kind], ...(kind === "encoder" ? ["media" as const] : [])];
    const cause = needs.find((need) => {
      const program = programs.get(need);
      return program !== undefined && (!isAlive(program.state) || start - program.start <= causeMs / 1000);
    });
    return { kind, cause: cause ?? null };
  });
}

/** Why a program was restarted, for the end of a sentence. */
export function causeText(cause: NonNullable<Death["cause"]>): string {
  const word = cause === "media" ? "media server" : PROGRAM_WORDS[cause];
  return `the ${word} had just been started again`;
}
