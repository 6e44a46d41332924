/** The files of DATA_DIR that a backup has. Each file is read with no more than its owner's rights. */
import { basename, dirname, join } from "node:path";
import type { Paths } from "../../paths.ts";
import { spaceAt } from "../../machine/os/disk.ts";
import { ProcessError } from "../../machine/os/process.ts";
import { firstBytes, openRegular } from "../../machine/os/regular_file.ts";
import { withRightsOf } from "../../machine/os/rights.ts";
import { VERSION } from "../../machine/tools/version.ts";
import { AUTHORITIES, FIND_LIMITS, isKept, MANIFEST, type Manifest, MAX_FILE, STREAMS } from "./contents.ts";
import { findBelow } from "../../machine/os/find.ts";

/** Levels of folders: the service's folders have two. Deeper files are no data of the service. */
const MAX_DEPTH = 16;

/** Bytes of their names: many times the names of a service with the most streams. */
const MAX_NAMES = 16 * 1024 * 1024;

/**
 * The paths of the kept regular files below a folder, relative to it; a missing folder has no files.
 * @throws {Error} when there are more files than a service has.
 */
export async function filesBelow(folder: string): Promise<string[]> {
  if (!ifThere(() => Deno.lstatSync(folder))) return [];
  const tests = ["-maxdepth", String(MAX_DEPTH), "-type", "f"];
  const names = await findBelow(folder, tests, { ...FIND_LIMITS, maxList: MAX_NAMES }).catch((error) => {
    throw error instanceof ProcessError
      ? new Error(`more files than a service has (${error.message})`)
      : error;
  });
  return names.filter(isKept).sort();
}

function ifThere<Result>(look: () => Result): Result | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Bytes of all files of streams/, or of ca/: a thousand streams have half of it. */
const MAX_ALL = 4 * 1024 * 1024 * 1024;

/** The copied files, and the files that were left out because they are larger than any file of the service. */
export interface Copied {
  /** The top names. */
  tops: string[];
  tooLarge: string[];
}

/**
 * Copies the files of the backup, so that they stay the same while tar packs them. Each file is whole: the service
 * renames new files into place, and adds lines to events, whose cut last line is not read.
 */
export async function copyData(paths: Paths, stage: string, hasProfiles: boolean): Promise<Copied> {
  const manifest: Manifest = { format: 1, version: VERSION, madeAt: new Date().toISOString(), hasProfiles };
  await Deno.writeTextFile(join(stage, MANIFEST), JSON.stringify(manifest) + "\n");
  const limits = { file: MAX_FILE, all: MAX_ALL };
  const tooLarge: string[] = [];
  const copy = async (folder: string, names: readonly string[], top: string) => {
    const left = await copyFiles(folder, names, join(stage, top), limits);
    tooLarge.push(...left.map((name) => join(folder, name)));
  };
  await copy(paths.streamsDir, await filesBelow(paths.streamsDir), STREAMS);
  // the stream list of an earlier version; a newer list has priority
  if (!ifThere(() => Deno.lstatSync(join(stage, STREAMS, "streams.json")))) {
    await copy(dirname(paths.oldStreamsFile), [basename(paths.oldStreamsFile)], STREAMS);
  }
  if (isCaInData(paths)) await copy(paths.caDir, await filesBelow(paths.caDir), AUTHORITIES);
  return { tops: [MANIFEST, STREAMS, AUTHORITIES], tooLarge };
}

/** Whether CA_DIR is in DATA_DIR: a folder elsewhere is the operator's own, as the settings are. */
export function isCaInData({ caDir, streamsDir }: Paths): boolean {
  return dirname(caDir) === dirname(streamsDir);
}

/** Files that are open at once. */
const BATCH = 64;

/** Bytes that a file, and all files of a copy, may have: a file of a terabyte may be all holes. */
export interface CopyLimits {
  file: number;
  all: number;
}

/** Bytes that a copy leaves free for all others. */
const ROOM = 64 * 1024 * 1024;

/**
 * Copies regular files of a folder. Links and vanished files are left out.
 * @param names paths in the folder; paths that lead out of it are left out.
 * @returns the names that were left out since they are too large.
 * @throws {Error} when a file cannot be read, or the copies would fill the disk.
 */
export async function copyFiles(
  folder: string,
  names: readonly string[],
  to: string,
  limits: CopyLimits,
): Promise<string[]> {
  const tooLarge: string[] = [];
  let copied = 0;
  const { freeBytes } = await spaceAt(dirname(to));
  const inside = names.filter((name) => join(to, name).startsWith(`${to}/`));
  for (let at = 0; at < inside.length; at += BATCH) {
    const batch = inside.slice(at, at + BATCH);
    for (const [index, file] of openAll(folder, batch).entries()) {
      if (!file) continue;
      using _file = file;
      const { size } = await file.stat();
      if (size > Math.min(limits.file, limits.all - copied)) {
        tooLarge.push(batch[index]);
        continue;
      }
      copied += size;
      if (copied > freeBytes - ROOM) throw new Error(`the disk of ${dirname(to)} has no room for the copies`);
      const target = join(to, batch[index]);
      await Deno.mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await Deno.writeFile(target, firstBytes(file, size), { mode: 0o600 });
    }
  }
  return tooLarge;
}

function openAll(folder: string, names: readonly string[]): (Deno.FsFile | null)[] {
  return ifThere(() =>
    withRightsOf(folder, (here) => {
      return names.map((name) => {
        try {
          return openRegular(join(here, name));
        } catch (error) {
          if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
          throw new Error(
            `${join(folder, name)} cannot be read by the user whom ${folder} belongs to; ` +
              "the next start of the service gives it to that user",
          );
        }
      });
    })
  ) ?? [];
}
