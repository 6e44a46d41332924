/**
 * Archives of backups, by Debian's tar and gzip. They go in and out by pipes: who owns the folder that an archive is in
 * may put another file, or a link, in its place at any moment.
 */
import { isStreamId } from "../../model/id.ts";
import { run, type RunOptions, type RunResult } from "../../machine/os/process.ts";
import { writeAll } from "../../machine/tools/write_all.ts";
import type { SameBytes } from "./same_bytes.ts";
import { AUTHORITIES, MANIFEST, MAX_FILE, MAX_LIST, PROFILES, STREAMS } from "./contents.ts";

/** Milliseconds: enough for gigabytes of profiles on a slow disk. */
const LIMIT_MS = 30 * 60_000;

/** No user's TAR_OPTIONS or locale changes the archive. */
const ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

async function tar(args: string[], pipe: Pick<RunOptions, "input" | "output">): Promise<RunResult> {
  const result = await run(["/usr/bin/tar", "--gzip", "--file=-", ...args], {
    ...pipe,
    timeoutMs: LIMIT_MS,
    env: ENVIRONMENT,
    clearEnv: true,
    cwd: "/",
    maxOutput: MAX_LIST,
  });
  if (result.code !== 0) {
    throw new Error(result.stderr.trim().split("\n")[0] || `tar ended with ${result.code}`);
  }
  return result;
}

/** A folder and the names in it, each ended by a NUL, in a file. */
export interface Part {
  folder: string;
  namesFile: string;
}

/**
 * Writes an archive of regular files and folders, without their owners and without links.
 * @throws {Error} when tar fails.
 */
export async function writeArchive(file: Deno.FsFile, parts: readonly Part[]): Promise<void> {
  const common = ["--create", "--format=gnu", "--hard-dereference", "--no-recursion", "--null"];
  const owner = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go="];
  const files = parts.flatMap((
    { folder, namesFile },
  ) => [`--directory=${folder}`, `--files-from=${namesFile}`]);
  await tar([...common, ...owner, ...files], { output: (bytes) => writeAll(file, bytes) });
}

/** An entry of an archive. */
export interface Entry {
  kind: "file" | "folder" | "other";
  bytes: number;
  /** The path in the archive; special characters are written as in C. */
  path: string;
}

const LINE = /^(.)\S{9} +\S+ +(\d+) +\S+ +\S+ +"((?:[^"\\]|\\.)*)"/;

/** The entries in `tar --list --verbose --quoting-style=c`. @throws {Error} on a line that tar does not write. Pure. */
export function parseList(text: string): Entry[] {
  return text.split("\n").filter(Boolean).map((line) => {
    const [, type, bytes, path] = LINE.exec(line) ?? [];
    if (path === undefined) {
      // devices have two numbers in the place of a size
      if (/^[bc]/.test(line)) return { kind: "other", bytes: 0, path: line };
      throw new Error(`tar says: ${line.slice(0, 200)}`);
    }
    const kind = type === "-" ? "file" : type === "d" ? "folder" : "other";
    return { kind, bytes: Number(bytes), path: path.replace(/\/$/, "") };
  });
}

/** @throws {Error} when the file is no archive. */
export async function listArchive(archive: SameBytes): Promise<Entry[]> {
  const options = ["--verbose", "--numeric-owner", "--quoting-style=c", "--absolute-names"];
  const { stdout } = await tar(["--list", ...options], { input: archive.read() });
  return parseList(stdout);
}

/** The reason why these are no entries of a backup; null: they are. Pure. */
export function listProblem(entries: readonly Entry[]): string | null {
  const seen = new Set<string>();
  for (const { kind, bytes, path } of entries) {
    const [top, second] = path.split("/");
    if (kind === "other") return `it holds something other than files and folders, such as a link: ${path}`;
    if (path.split("/").some((name) => ["", ".", ".."].includes(name))) {
      return `${path} leads out of its folder`;
    }
    if (![MANIFEST, STREAMS, AUTHORITIES, PROFILES].includes(top)) {
      return `${path} does not belong in a backup`;
    }
    if (seen.has(path)) return `${path} is in it twice`;
    if (top === PROFILES && second !== undefined && !isStreamId(second)) {
      return `${path} is not a stream's profile`;
    }
    if (top !== PROFILES && bytes > MAX_FILE) return `${path} is larger than any file of a backup`;
    seen.add(path);
  }
  return seen.has(MANIFEST) ? null : `it has no ${MANIFEST}`;
}

/** Unpacks a part of an archive whose list was checked into an empty folder, as our own files. @throws {Error} */
export async function unpack(archive: SameBytes, folder: string, tops: readonly string[]): Promise<void> {
  const ours = ["--no-same-owner", "--no-same-permissions", "--keep-old-files"];
  await tar(["--extract", ...ours, `--directory=${folder}`, "--", ...tops], { input: archive.read() });
}
