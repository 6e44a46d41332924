/**
 * The programs of a stream: one table, from which the supervisor's files, states, labels, help and documentation come.
 * A new program is one new row here and its subcommand in lib/run/. Pure, and light enough for browsers.
 */
import { fieldsRestarting } from "./fields.ts";
import { otherOrigins } from "./plan/timetable.ts";
import type { StreamFields } from "./schema.ts";

interface ProgramRow {
  /** The name for people, in the log page's list. */
  label: string;
  /** The description, for help and documentation. */
  about: string;
  /** The fields whose change restarts the program. */
  restartedBy: readonly (keyof StreamFields)[];
  /** A text whose change restarts the program, too. */
  dependsOn?: (stream: StreamFields) => string;
  /** For helpers only: whether the stream wants the program to run. */
  isWanted?: (stream: StreamFields) => boolean;
  /** Whether the program stays a process of our own, and does not become another program. */
  isResident?: true;
  /** The signal that asks the program to end; TERM by default. */
  stopSignal?: "INT" | "KILL";
  /** supervisord's settings; seconds a program may take to end. */
  priority: number;
  stopWaitSeconds: number;
}

/** Whether there is a user name or a password for the stream's page. */
function hasLogin({ user, pass }: Pick<StreamFields, "user" | "pass">): boolean {
  return user !== "" || pass !== "";
}

const TABLE = {
  display: {
    label: "Display",
    about: "Xvnc: X server and VNC server in one, with the page's size",
    restartedBy: fieldsRestarting("display"),
    priority: 20,
    stopWaitSeconds: 6,
  },
  wm: {
    label: "Window manager",
    about: "openbox: without it a kiosk window is one pixel short",
    restartedBy: fieldsRestarting("wm"),
    priority: 30,
    stopWaitSeconds: 6,
  },
  browser: {
    label: "Browser",
    about: "Chromium in kiosk mode, with a profile of its own",
    restartedBy: fieldsRestarting("browser"),
    // the browser gets the places that it may reach, and the ways to sign in, at its start
    dependsOn: (stream) => [...otherOrigins(stream), hasLogin(stream) ? "login" : ""].join(" "),
    // TERM ends the browser at once, and loses data of pages from the last 30 s (cookies above all)
    stopSignal: "INT",
    priority: 40,
    stopWaitSeconds: 6,
  },
  encoder: {
    label: "Encoder",
    about: "ffmpeg: encodes pictures and sound; starts `delay` seconds after the stream",
    restartedBy: fieldsRestarting("encoder"),
    // by TERM the encoder sends at once the pictures that a preset or tune with a lookahead still has: seconds of them
    // in one moment, which the media server makes into segments without a keyframe, two of one name
    stopSignal: "KILL",
    priority: 50,
    stopWaitSeconds: 6,
  },
  audio: {
    label: "Sound",
    about: "PulseAudio: the sink that the browser plays to and the encoder records",
    restartedBy: [],
    priority: 20,
    stopWaitSeconds: 3,
  },
  autologin: {
    label: "Sign-in",
    about: "Logs in whenever the page asks for it; runs if `user` or `pass` is set",
    restartedBy: fieldsRestarting("autologin"),
    isWanted: hasLogin,
    isResident: true,
    priority: 60,
    stopWaitSeconds: 3,
  },
  autoreload: {
    label: "Reloads",
    about: "Reloads the page at an interval; runs if `autoReload` is set",
    restartedBy: fieldsRestarting("autoreload"),
    isWanted: ({ autoReload }) => autoReload,
    isResident: true,
    priority: 60,
    stopWaitSeconds: 3,
  },
  push: {
    label: "Push",
    about: "Sends the channel to another server, too; runs if `pushTo` is set",
    restartedBy: fieldsRestarting("push"),
    isWanted: ({ pushTo }) => pushTo !== "",
    isResident: true,
    priority: 60,
    stopWaitSeconds: 3,
  },
} as const satisfies Record<string, ProgramRow>;

export type ProgramKind = keyof typeof TABLE;

export const PROGRAMS: Readonly<Record<ProgramKind, ProgramRow>> = TABLE;

export const PROGRAM_KINDS = Object.keys(TABLE) as ProgramKind[];

/** Programs that run only where the stream wants them. */
export const HELPER_PROGRAMS = PROGRAM_KINDS.filter((kind) => PROGRAMS[kind].isWanted !== undefined);

/** The programs of a stream's group, which start and stop together. */
export const PIPELINE_PROGRAMS = PROGRAM_KINDS.filter((kind) => !HELPER_PROGRAMS.includes(kind));

/** Whether the text names a row of the table. */
export function isProgramKind(text: string): text is ProgramKind {
  return Object.hasOwn(PROGRAMS, text);
}

/** supervisord's words. Source: http://supervisord.org/subprocess.html#process-states */
export const PROGRAM_STATES = [
  ...["STOPPED", "STARTING", "RUNNING", "BACKOFF", "STOPPING", "EXITED", "FATAL", "UNKNOWN"] as const,
] as const;

export type ProgramState = typeof PROGRAM_STATES[number];

/** Whether the program runs or is being started. */
export function isAlive(state: ProgramState): boolean {
  return state === "RUNNING" || state === "STARTING" || state === "BACKOFF";
}

/** The helpers a stream wants to run. */
export function wantedHelpers(stream: StreamFields): ProgramKind[] {
  return HELPER_PROGRAMS.filter((kind) => PROGRAMS[kind].isWanted!(stream));
}

/** The programs that have to restart for a running stream's change to show. */
export function affectedPrograms(before: StreamFields, after: StreamFields): ProgramKind[] {
  return PROGRAM_KINDS.filter((kind) =>
    PROGRAMS[kind].restartedBy.some((field) => before[field] !== after[field]) ||
    PROGRAMS[kind].dependsOn?.(before) !== PROGRAMS[kind].dependsOn?.(after)
  );
}
