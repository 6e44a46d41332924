/** supervisord's files, rendered from templates/. A stream's file holds its id and nothing else of the user's. */
import { join } from "node:path";
import { STREAM_ID } from "../streams/schema.ts";
import { writeIfChanged } from "../system/files.ts";
import { render } from "../templates.ts";

/** The programs of a stream's group, which start and stop together. */
export const PIPELINE_PROGRAMS = ["display", "wm", "browser", "encoder"] as const;
/** Programs that start only when asked for. */
export const HELPER_PROGRAMS = ["autologin", "autoreload"] as const;
export type ProgramKind = typeof PIPELINE_PROGRAMS[number] | typeof HELPER_PROGRAMS[number];

export function programName(kind: ProgramKind, id: string): string {
  return `${kind}-${id}`;
}

/** The supervisor's name of a stream's group of programs. */
export function groupName(id: string): string {
  return `stream-${id}`;
}

/** A program's full name, as supervisorctl takes it. */
export function controlName(kind: ProgramKind, id: string): string {
  const grouped = (PIPELINE_PROGRAMS as readonly string[]).includes(kind);
  return grouped ? `${groupName(id)}:${programName(kind, id)}` : programName(kind, id);
}

/** All groups of a stream's file, for `supervisorctl update`. */
export function groupsOf(id: string): string[] {
  return [groupName(id), ...HELPER_PROGRAMS.map((kind) => programName(kind, id))];
}

/**
 * A value inside supervisord's file: `%` starts an expansion there, a line break a new entry, ` ;` and ` #` a comment.
 * @throws {Error} on the latter, which cannot be escaped.
 */
export function supervisorValue(value: string): string {
  if (/[\n\r\0]|\s[;#]/.test(value)) {
    throw new Error(`${JSON.stringify(value)} cannot stand in the supervisor's file`);
  }
  return value.replaceAll("%", "%%");
}

/** A command line for supervisord, which splits it like a shell does. */
export function supervisorCommand(argv: string[]): string {
  const quote = (word: string) =>
    /^[\w@+=:,./-]+$/.test(word) ? word : `"${word.replace(/(["\\])/g, "\\$1")}"`;
  return supervisorValue(argv.map(quote).join(" "));
}

export interface ProgramFiles {
  template: string;
  /** How to run our executable: its subcommand follows. */
  executable: string[];
  programsDir: string;
  logsDir: string;
  runDir: string;
}

export function programFile(files: ProgramFiles, id: string): string {
  if (!STREAM_ID.test(id)) throw new Error(`"${id}" is no stream id`);
  return join(files.programsDir, `${id}.conf`);
}

/** Writes a stream's file and makes its log folder. Says whether the file changed. */
export async function writePrograms(files: ProgramFiles, id: string): Promise<boolean> {
  const path = programFile(files, id);
  const logDir = join(files.logsDir, id);
  await Deno.mkdir(logDir, { recursive: true });
  return await writeIfChanged(
    path,
    render(files.template, {
      id,
      exe: supervisorCommand(files.executable),
      logs: supervisorValue(logDir),
      run: supervisorValue(files.runDir),
    }),
  );
}
