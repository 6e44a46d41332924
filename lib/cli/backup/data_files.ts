/** The files of DATA_DIR that a backup has. They belong to others, and are read with no more than their rights. */
import { basename, dirname, join } from "node:path";
import type { Paths } from "../../paths.ts";
import { openRegular } from "../../os/regular_file.ts";
import { withRightsOf } from "../../os/rights.ts";
import { VERSION } from "../../system/version.ts";
import { AUTHORITIES, isKept, MANIFEST, type Manifest, STREAMS } from "./contents.ts";

/** Folders in each other: those of the service have two levels. What is nested deeper is nobody's data. */
const MAX_DEPTH = 16;

/** The regular files below a folder that are kept, by their paths in it; a folder that is missing has none. */
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
 * Copies what is saved, so that it stays what it is while it is packed. Each file is whole: the service replaces files by
 * renaming, and adds lines to events, of which a cut one at the end is not read. Gives the archive's first names.
 */
export async function copyData(paths: Paths, stage: string, hasProfiles: boolean): Promise<string[]> {
  const manifest: Manifest = { format: 1, version: VERSION, madeAt: new Date().toISOString(), hasProfiles };
  await Deno.writeTextFile(join(stage, MANIFEST), JSON.stringify(manifest) + "\n");
  await copyFiles(paths.streamsDir, filesBelow(paths.streamsDir), join(stage, STREAMS));
  // the list of an earlier version, which the newer one counts for
  if (!ifThere(() => Deno.lstatSync(join(stage, STREAMS, "streams.json")))) {
    await copyFiles(dirname(paths.oldStreamsFile), [basename(paths.oldStreamsFile)], join(stage, STREAMS));
  }
  if (isCaInData(paths)) {
    await copyFiles(paths.caDir, filesBelow(paths.caDir), join(stage, AUTHORITIES));
  }
  return [MANIFEST, STREAMS, AUTHORITIES];
}

/** A folder elsewhere is the operator's own, as the settings are. */
export function isCaInData({ caDir, streamsDir }: Paths): boolean {
  return dirname(caDir) === dirname(streamsDir);
}

/** Files that are open at once. */
const BATCH = 64;

/**
 * Copies the regular files that a folder has of these. Links are left out, and what went meanwhile.
 * @param names paths in the folder, of which those that lead out of it are left out. @throws {Error} when one cannot be read.
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
