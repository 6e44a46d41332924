/** supervisord's files, rendered from templates/. A stream's file holds the stream's id and no other user text. */
import { join } from "node:path";
import { isStreamId, type StreamId } from "../../model/id.ts";
import { HELPER_PROGRAMS, PIPELINE_PROGRAMS, type ProgramKind, PROGRAMS } from "../../model/programs.ts";
import type { Identity } from "../os/exec.ts";
import { ensureFolder, giveTo, writeIfChanged } from "../os/files.ts";
import { render } from "../../templates.ts";

/** supervisord's name of a stream's program. */
export function programName(kind: ProgramKind, id: StreamId): string {
  return `${kind}-${id}`;
}

/** The supervisor's name of a stream's group of programs. */
export function groupName(id: StreamId): string {
  return `stream-${id}`;
}

/** A program's full name, as supervisorctl takes it. */
export function controlName(kind: ProgramKind, id: StreamId): string {
  const isGrouped = PIPELINE_PROGRAMS.includes(kind);
  return isGrouped ? `${groupName(id)}:${programName(kind, id)}` : programName(kind, id);
}

/** All groups of a stream's file, for `supervisorctl update`. */
export function groupsOf(id: StreamId): string[] {
  return [groupName(id), ...HELPER_PROGRAMS.map((kind) => programName(kind, id))];
}

/**
 * A value inside supervisord's file: `%` starts an expansion there, a line break a new entry, ` ;` and ` #` a comment.
 * @throws {Error} on a line break or comment, which cannot be escaped.
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

/**
 * The environment of programs that stay Deno processes after they have dropped root's rights: otherwise they would hold
 * root's code cache open for writing.
 */
const RESIDENT_ENVIRONMENT = 'environment=DENO_DIR="/dev/null"';

export interface ProgramFiles {
  /** templates/stream.conf, and templates/program.conf for each of its programs. */
  templates: { stream: string; program: string };
  /** The command line of our executable, before its subcommand. */
  executable: string[];
  programsDir: string;
  logsDir: string;
  runDir: string;
}

/** The path of a stream's file. */
export function programFile({ programsDir }: Pick<ProgramFiles, "programsDir">, id: StreamId): string {
  return join(programsDir, `${id}.conf`);
}

/** The ids of the streams with a file. */
export async function programFileIds(programsDir: string): Promise<StreamId[]> {
  const names = await Array.fromAsync(Deno.readDir(programsDir), ({ name }) => name);
  return names.filter((name) => name.endsWith(".conf")).map((name) => name.slice(0, -".conf".length))
    .filter(isStreamId).sort();
}

/** A stream's file: its group, and a section for each row of the table of programs. */
export function streamProgramsText({ templates, executable, ...dirs }: ProgramFiles, id: StreamId): string {
  const values = {
    id,
    exe: supervisorCommand(executable),
    logs: supervisorValue(join(dirs.logsDir, id)),
    run: supervisorValue(dirs.runDir),
  };
  const group = { id, programs: PIPELINE_PROGRAMS.map((kind) => programName(kind, id)).join(",") };
  const sections = Object.entries(PROGRAMS).map((
    [kind, { priority, stopSignal, stopWaitSeconds, isWanted, isResident }],
  ) =>
    render(templates.program, {
      ...values,
      kind,
      priority,
      stopSignal: stopSignal ?? "TERM",
      stopWaitSeconds,
      // a helper that was asked to end has ended well; a pipeline's program must run again after any end:
      // Chromium exits 0 when its display dies
      autorestart: isWanted ? "unexpected" : "true",
      startSeconds: isWanted ? 0 : 1,
      environment: isResident ? RESIDENT_ENVIRONMENT : "",
    })
  );
  return [render(templates.stream, group), ...sections].join("\n");
}

/** Makes a stream's log folder, and lets `reader` read its files. */
export async function keepLogs(files: ProgramFiles, id: StreamId, reader: Identity): Promise<void> {
  const logs = join(files.logsDir, id);
  const owner = { ...reader, uid: Deno.uid()! };
  // the supervisor's new files get the folder's group
  await ensureFolder(logs, 0o2750, owner);
  for await (const { name, isFile } of Deno.readDir(logs)) if (isFile) await giveTo(owner, join(logs, name));
}

/** Writes a stream's file and makes its log folder, which `reader` may read. Says whether the file changed. */
export async function writePrograms(files: ProgramFiles, id: StreamId, reader: Identity): Promise<boolean> {
  await keepLogs(files, id, reader);
  return await writeIfChanged(programFile(files, id), streamProgramsText(files, id));
}
