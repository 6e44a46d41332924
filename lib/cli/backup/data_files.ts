/** The files of DATA_DIR that a backup has. Each file is read with no more than its owner's rights. */
import { basename, dirname, join } from "node:path";
import type { Paths } from "../../paths.ts";
import { openRegular } from "../../os/regular_file.ts";
import { withRightsOf } from "../../os/rights.ts";
import { VERSION } from "../../system/version.ts";
import { AUTHORITIES, isKept, MANIFEST, type Manifest, STREAMS } from "./contents.ts";

/** Levels of folders: the service's folders have two. Deeper files are no data of the service. */
const MAX_DEPTH = 16;

/** The paths of the kept regular files below a folder, relative to it; a missing folder has no files. */
export function filesBelow(folder: string): string[] {
  return ifThere(() => withRightsOf(folder, (here) => listFiles(here, "", 1))) ?? [];
}

function listFiles(folder: string, below: string, depth: number): string[] {
  const entries = ifThere(() => [...Deno.readDirSync(join(folder, below))]) ?? []; // a stream was deleted meanwhile
  return entries.flatMap(({ name, isFile, isDirectory }) => {
    const path = below === "" ? name : `${below}/${name}`;
    if (isDirectory && depth < MAX_DEPTH) return listFiles(folder, path, depth + 1);
    return isFile && isKept(path) ? [path] : [];
  }).sort();
}

function ifThere<Result>(look: () => Result): Result | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/**
 * Copies the files of the backup, so that they stay the same while tar packs them. Each file is whole: the service
 * renames new files into place, and adds lines to events, whose cut last line is not read. Returns the top names.
 */
export async function copyData(paths: Paths, stage: string, hasProfiles: boolean): Promise<string[]> {
  const manifest: Manifest = { format: 1, version: VERSION, madeAt: new Date().toISOString(), hasProfiles };
  await Deno.writeTextFile(join(stage, MANIFEST), JSON.stringify(manifest) + "\n");
  await copyFiles(paths.streamsDir, filesBelow(paths.streamsDir), join(stage, STREAMS));
  // the stream list of an earlier version; a newer list has priority
  if (!ifThere(() => Deno.lstatSync(join(stage, STREAMS, "streams.json")))) {
    await copyFiles(dirname(paths.oldStreamsFile), [basename(paths.oldStreamsFile)], join(stage, STREAMS));
  }
  if (isCaInData(paths)) {
    await copyFiles(paths.caDir, filesBelow(paths.caDir), join(stage, AUTHORITIES));
  }
  return [MANIFEST, STREAMS, AUTHORITIES];
}

/** Whether CA_DIR is in DATA_DIR: a folder elsewhere is the operator's own, as the settings are. */
export function isCaInData({ caDir, streamsDir }: Paths): boolean {
  return dirname(caDir) === dirname(streamsDir);
}

/** Files that are open at once. */
const BATCH = 64;

/**
 * Copies regular files of a folder. Links and vanished files are left out.
 * @param names paths in the folder; paths that lead out of it are left out. @throws {Error} when a file cannot be read.
 */
export async function copyFiles(folder: string, names: readonly string[], to: string): Promise<void> {
  const inside = names.filter((name) => join(to, name).startsWith(`${to}/`));
  for (let at = 0; at < inside.length; at += BATCH) {
    const batch = inside.slice(at, at + BATCH);
    for (const [index, file] of openAll(folder, batch).entries()) {
      if (!file) continue;
      using _file = file;
      const target = join(to, batch[index]);
      await Deno.mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await Deno.writeFile(target, file.readable, { mode: 0o600 });
    }
  }
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
              "a start of the service gives it to that user",
          );
        }
      });
    })
  ) ?? [];
}
