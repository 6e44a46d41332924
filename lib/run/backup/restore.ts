/** `restore FILE`: replaces the data by the content of a backup, and keeps the old data as a backup as well. */
import { dirname, join, resolve } from "node:path";
import { parseAccessFile } from "../../store/access_file.ts";
import type { Config } from "../../config.ts";
import { type Paths, pathsOf } from "../../paths.ts";
import { parseStreamFile } from "../../model/file.ts";
import { parseWallFile } from "../../model/wall/file.ts";
import { spaceAt } from "../../machine/os/disk.ts";
import { ensureFolder, readOrNull, removeTree, temporaryFile } from "../../machine/os/files.ts";
import { errorText, printable } from "../../machine/tools/log.ts";
import { run } from "../../machine/os/process.ts";
import { openRegular } from "../../machine/os/regular_file.ts";
import { withRightsOf } from "../../machine/os/rights.ts";
import { commandAs, numberedUser, ownerOf } from "../../machine/os/users.ts";
import { claimData } from "../claims.ts";
import { CommandError } from "../command_error.ts";
import type { Words } from "../command/words.ts";
import { cleanWhenInterrupted, withoutInterrupts } from "../interrupt.ts";
import { choosePipelineDir } from "../pipeline_dir.ts";
import { type Entry, listArchive, listProblem, unpack } from "./archive.ts";
import { checkProfilesOwner, writeBackup } from "./backup.ts";
import { AUTHORITIES, MANIFEST, type Manifest, parseManifest, PROFILES, STREAMS } from "./contents.ts";
import { filesBelow, isCaInData } from "./data_files.ts";
import { SameBytes } from "./same_bytes.ts";

/** Restores a backup after a check of all its content; returns the exit code. @throws {CommandError | StartError} */
export async function restore(given: Config, { operands: [word] }: Words): Promise<number> {
  const file = resolve(word);
  const paths = pathsOf({ ...given, PIPELINE_DIR: await choosePipelineDir(given) });
  using archive = openArchive(file);
  const entries = await checkedList(file, archive);
  using _claim = await claimData(given, paths);
  if (entries.some(({ path }) => path.split("/")[0] === PROFILES)) await checkProfilesOwner(paths);
  await checkRoom(paths, entries);
  const stage = await Deno.makeTempDir({ prefix: "browser-stream-restore-" });
  // beside the profiles that they replace, and no stream's name: a folder is not moved from one disk to another
  const profilesStage = join(paths.profilesDir, ".restore");
  const clean = async () => {
    await removeTree(stage);
    await removeTree(profilesStage);
  };
  const prepare = async () => {
    using _interrupt = cleanWhenInterrupted(clean);
    const manifest = await unpackChecked(file, archive, stage, profilesStage, entries);
    return { manifest, before: await keepBefore(given, paths, file, manifest.hasProfiles) };
  };
  try {
    const { manifest, before } = await prepare();
    using _hold = withoutInterrupts(); // the change takes a moment, and must not stop half-way
    await replaceAll(paths, stage, profilesStage).catch((error) => {
      const back = before ? ` To get the data before it back: browser-stream restore ${before}` : "";
      throw new CommandError(`Only a part was restored: ${errorText(error)}.${back}`);
    });
    const madeAt = printable(String(manifest.madeAt));
    console.log(`Restored to ${given.DATA_DIR}: the backup of ${madeAt}. Start the service now.`);
    if (before) console.log(`The data before it: ${before}`);
    return 0;
  } finally {
    await clean();
  }
}

/** @throws {CommandError} when there is no regular file. */
function openArchive(file: string): SameBytes {
  try {
    const opened = openRegular(file);
    if (opened) return new SameBytes(opened);
  } catch {
    // it may not be read
  }
  throw new CommandError(`There is no file ${file} that can be read.`);
}

/** @throws {CommandError} when the file cannot be a backup. */
async function checkedList(file: string, archive: SameBytes): Promise<Entry[]> {
  const entries = await listArchive(archive).catch((error) => {
    throw notABackup(file, errorText(error));
  });
  const problem = listProblem(entries);
  if (problem !== null) throw notABackup(file, problem);
  return entries;
}

function notABackup(file: string, problem: string): CommandError {
  return new CommandError(`${file} is not a backup of this service: ${problem}. Nothing was changed.`);
}

/** Checks for twice the size: each old file stays until the new file is whole. */
async function checkRoom(paths: Paths, entries: readonly Entry[]): Promise<void> {
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  const { freeBytes } = await spaceAt(dirname(paths.streamsDir));
  if (freeBytes > 2 * bytes) return;
  const [needed, free] = [2 * bytes, freeBytes].map((size) => `${Math.ceil(size / 1e6)} MB`);
  throw new CommandError(
    `The disk of DATA_DIR has ${free} free, and ${needed} are needed. Nothing was changed.`,
  );
}

/** Unpacks the backup, and checks the files that a start of the service reads. @throws {CommandError} */
async function unpackChecked(
  file: string,
  archive: SameBytes,
  stage: string,
  profilesStage: string,
  entries: readonly Entry[],
): Promise<Manifest> {
  const tops = new Set(entries.map(({ path }) => path.split("/")[0]));
  try {
    await unpack(archive, stage, [...tops].filter((top) => top !== PROFILES));
    const manifest = parseManifest(await Deno.readTextFile(join(stage, MANIFEST)));
    parseStreamFile(await readOrNull(join(stage, STREAMS, "streams.json")) ?? "[]");
    const tokens = await readOrNull(join(stage, STREAMS, "access-tokens.json"));
    if (tokens !== null) parseAccessFile(tokens, "access-tokens.json");
    const walls = await readOrNull(join(stage, STREAMS, "walls.json"));
    if (walls !== null) parseWallFile(walls, "walls.json");
    await removeTree(profilesStage); // of a restore that was killed
    if (tops.has(PROFILES)) {
      await ensureFolder(profilesStage, 0o700);
      await unpack(archive, profilesStage, [PROFILES]);
    }
    return manifest;
  } catch (error) {
    throw notABackup(file, errorText(error));
  }
}

/** Makes a backup of the present data beside the file; null: there is no data. */
async function keepBefore(
  { PROFILE_LIMIT_MB }: Config,
  paths: Paths,
  file: string,
  hasProfiles: boolean,
): Promise<string | null> {
  if ((await filesBelow(paths.streamsDir)).length === 0) return null;
  const time = new Date().toISOString().replace(/\.\d+Z$/, "").replaceAll(":", "-");
  const before = join(dirname(file), `before-restore-${time}.tar.gz`);
  await writeBackup(paths, before, hasProfiles, PROFILE_LIMIT_MB);
  return before;
}

async function replaceAll(paths: Paths, stage: string, profilesStage: string): Promise<void> {
  await replaceFiles(join(stage, STREAMS), paths.streamsDir, 0o600);
  if (isCaInData(paths)) await replaceFiles(join(stage, AUTHORITIES), paths.caDir, 0o644);
  await removeTree(paths.oldStreamsFile); // otherwise the next start takes it over where the backup has no list
  await replaceProfiles(join(profilesStage, PROFILES), paths.profilesDir);
}

/**
 * Replaces the files of a folder by the files of another folder, each at once; files that are made anew stay. All work
 * has only the rights of the folder's owner, who may put links there at any moment.
 */
async function replaceFiles(from: string, to: string, mode: number): Promise<void> {
  const wanted = await filesBelow(from);
  const folderMode = mode === 0o600 ? 0o700 : 0o755;
  if (wanted.length > 0) await Deno.mkdir(to, { recursive: true, mode: folderMode });
  for (const path of wanted) {
    const bytes = await Deno.readFile(join(from, path));
    await removeInTheWay(to, path);
    withRightsOf(to, (here) => {
      const target = join(here, path);
      Deno.mkdirSync(dirname(target), { recursive: true, mode: folderMode });
      replaceFile(target, bytes, mode);
    });
  }
  for (const path of await filesBelow(to)) {
    if (!wanted.includes(path)) withRightsOf(to, (here) => Deno.removeSync(join(here, path)));
  }
}

/** Removes a folder in the place of the file, or another entry in the place of a folder above the file. */
async function removeInTheWay(to: string, path: string): Promise<void> {
  const names = path.split("/");
  const paths = names.map((_, at) => names.slice(0, at + 1).join("/"));
  const wrong = withRightsOf(to, (here) =>
    paths.find((one) => {
      const isFolder = kindOf(join(here, one));
      return isFolder !== null && isFolder !== (one !== path);
    }));
  if (wrong === undefined) return;
  const owner = await ownerOf(to);
  const argv = ["/bin/rm", "-rf", "--one-file-system", "--", wrong];
  const { code, stderr } = await run(owner === null ? argv : commandAs(numberedUser(owner), argv), {
    timeoutMs: 60_000,
    clearEnv: true,
    cwd: to,
  });
  if (code !== 0) throw new Error(`${join(to, wrong)} cannot be removed: ${stderr.trim().split("\n")[0]}`);
}

/** Whether there is a folder; null where there is nothing. */
function kindOf(path: string): boolean | null {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return null;
    throw error;
  }
}

/** Replaces a file as `writeFileAtomic` does, but synchronously: the old or the new file is there, whole. */
function replaceFile(path: string, bytes: Uint8Array, mode: number): void {
  const temporary = temporaryFile(path);
  try {
    using file = Deno.openSync(temporary, { write: true, createNew: true, mode });
    for (let written = 0; written < bytes.length;) written += file.writeSync(bytes.subarray(written));
    file.syncSync();
    Deno.renameSync(temporary, path);
  } catch (error) {
    if (kindOf(temporary) !== null) Deno.removeSync(temporary);
    throw error;
  }
}

/** Replaces profiles. As root, the new profiles are root's until their stream's start gives them a user. */
async function replaceProfiles(from: string, to: string): Promise<void> {
  const ids = await Array.fromAsync(Deno.readDir(from), ({ name }) => name).catch(() => []);
  for (const id of ids) {
    await removeTree(join(to, id));
    await Deno.rename(join(from, id), join(to, id));
  }
}
