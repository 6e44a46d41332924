/** The files of DATA_DIR that a backup has. */
import { dirname, join } from "node:path";
import type { Paths } from "../../paths.ts";
import { openRegular, regularFile } from "../../system/regular_file.ts";
import { VERSION } from "../../system/version.ts";
import { AUTHORITIES, isKept, MANIFEST, type Manifest, STREAMS } from "./contents.ts";

/** The regular files below a folder, by their paths in it; a folder that is missing has none. */
export async function filesBelow(folder: string, below = ""): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const { name, isFile, isDirectory } of Deno.readDir(join(folder, below))) {
      const path = below === "" ? name : `${below}/${name}`;
      if (isDirectory) found.push(...await filesBelow(folder, path));
      else if (isFile && isKept(path)) found.push(path);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // a stream was deleted meanwhile
  }
  return found.sort();
}

/**
 * Copies what is saved, so that it stays what it is while it is packed. Each file is whole: the service replaces files by
 * renaming, and adds lines to events, of which a cut one at the end is not read. Gives the archive's first names.
 */
export async function copyData(paths: Paths, stage: string, hasProfiles: boolean): Promise<string[]> {
  const manifest: Manifest = { format: 1, version: VERSION, madeAt: new Date().toISOString(), hasProfiles };
  await Deno.writeTextFile(join(stage, MANIFEST), JSON.stringify(manifest) + "\n");
  await copyTree(paths.streamsDir, join(stage, STREAMS));
  await copyFile(paths.oldStreamsFile, join(stage, STREAMS, "streams.json"), { createNew: true });
  if (isCaInData(paths)) await copyTree(paths.caDir, join(stage, AUTHORITIES));
  return [MANIFEST, STREAMS, AUTHORITIES];
}

/** A folder elsewhere is the operator's own, as the settings are. */
export function isCaInData({ caDir, streamsDir }: Paths): boolean {
  return dirname(caDir) === dirname(streamsDir);
}

async function copyTree(from: string, to: string): Promise<void> {
  for (const path of await filesBelow(from)) {
    await Deno.mkdir(dirname(join(to, path)), { recursive: true });
    await copyFile(join(from, path), join(to, path));
  }
}

/** Copies a regular file, and no link; one that is missing is left out. */
async function copyFile(from: string, to: string, options: Deno.WriteFileOptions = {}): Promise<void> {
  using file = await openNewest(from);
  if (!file) return;
  try {
    await Deno.mkdir(dirname(to), { recursive: true });
    await Deno.writeFile(to, file.readable, options);
  } catch (error) {
    // the list of an earlier version, which the newer one counts for
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

/** Opens a regular file that may be replaced by another at any moment. */
async function openNewest(path: string): Promise<Deno.FsFile | null> {
  const TRIES = 20;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const file = await openRegular(path);
    // null is also what it gives when the file was replaced while it looked
    if (file || !await regularFile(path)) return file;
  }
  throw new Error(`${path} is replaced faster than it can be read`);
}
