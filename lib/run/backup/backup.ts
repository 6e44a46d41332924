/** `backup FILE`: everything of DATA_DIR that cannot be made anew, in one file; the service may run meanwhile. */
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Config } from "../../config.ts";
import { type Paths, pathsOf } from "../../paths.ts";
import { isStreamId } from "../../model/id.ts";
import { isRoot } from "../../machine/os/exec.ts";
import { ensureFolder, removeTree } from "../../machine/os/files.ts";
import { errorText } from "../../machine/tools/log.ts";
import { openRegular } from "../../machine/os/regular_file.ts";
import { ownerOf } from "../../machine/os/users.ts";
import { claimData } from "../claims.ts";
import { CommandError } from "../command_error.ts";
import type { Words } from "../command/words.ts";
import { cleanWhenInterrupted } from "../interrupt.ts";
import { choosePipelineDir } from "../pipeline_dir.ts";
import { type Part, writeArchive } from "./archive.ts";
import { CACHES, FIND_LIMITS, PROFILES } from "./contents.ts";
import { copyData, copyFiles, filesBelow, isCaInData } from "./data_files.ts";
import { find, findBelow } from "../../machine/os/find.ts";

/** Makes a backup; gives the exit code. @throws {CommandError | StartError} */
export async function backup(given: Config, { operands: [file], options }: Words): Promise<number> {
  const hasProfiles = options.profiles === true;
  const paths = pathsOf({ ...given, PIPELINE_DIR: await choosePipelineDir(given) });
  if ((await savedFiles(paths)).length === 0 && !hasProfiles) {
    throw new CommandError(
      `There is nothing to save in ${paths.streamsDir}. DATA_DIR names the folder of the service's data.`,
    );
  }
  // browsers write to their profiles all the time: a copy of a profile in use may be damaged
  using _claim = hasProfiles ? await claimData(given, paths) : null;
  const target = resolve(file);
  const bytes = await writeBackup(paths, target, hasProfiles, given.PROFILE_LIMIT_MB);
  console.log(`${target}: ${Math.ceil(bytes / 1000)} kB. Passwords are in it; only you can read it.`);
  if (!isCaInData(paths)) {
    console.log(`Not in it: the certificates in CA_DIR=${paths.caDir}, which is not below DATA_DIR.`);
  }
  if (!hasProfiles) {
    console.log("Not in it: the browsers' profiles, such as sign-ins (--profiles adds them).");
  }
  return 0;
}

async function savedFiles({ streamsDir }: Paths): Promise<string[]> {
  try {
    return await filesBelow(streamsDir);
  } catch (error) {
    throw new CommandError(
      error instanceof Deno.errors.PermissionDenied
        ? `${streamsDir} belongs to another user. Run this as root.`
        : `The files of ${streamsDir} cannot be listed: ${errorText(error)}`,
    );
  }
}

/**
 * Refuses to work on profiles in a folder of a normal user's as root: that user could put a link in the place of our
 * copies of them. @throws {CommandError}
 */
export async function checkProfilesOwner({ profilesDir }: Paths): Promise<void> {
  const owner = await ownerOf(profilesDir);
  if (!isRoot() || owner === null || owner === 0) return;
  throw new CommandError(
    `${profilesDir} belongs to user ${owner}. Run this as that user, or start the service as root first: root takes\n` +
      "the profiles over.",
  );
}

/**
 * Writes a backup: after a crash the old or the new file is there, whole. Returns the number of bytes.
 * @param hasProfiles only while the service does not run.
 * @param profileLimitMb a profile that is larger is left out. @throws {CommandError}
 */
export async function writeBackup(
  paths: Paths,
  target: string,
  hasProfiles: boolean,
  profileLimitMb = Infinity,
): Promise<number> {
  await checkTarget(target, paths);
  if (hasProfiles) await checkProfilesOwner(paths);
  const stage = await Deno.makeTempDir({ prefix: "browser-stream-backup-" });
  const profilesStage = join(paths.profilesDir, ".backup"); // no stream's name; as large as the saved profiles
  const temporary = join(dirname(target), `.${basename(target)}.${crypto.randomUUID().slice(0, 8)}.tmp`);
  const clean = async () => {
    await removeTree(temporary);
    await removeTree(stage);
    if (hasProfiles) await removeTree(profilesStage);
  };
  using _interrupt = cleanWhenInterrupted(clean);
  try {
    const { tops, tooLarge } = await copyData(paths, stage, hasProfiles);
    const parts = [await partOf(stage, tops, join(stage, ".names"))];
    if (hasProfiles) {
      await removeTree(profilesStage); // of a backup that was killed
      await ensureFolder(profilesStage, 0o700);
      tooLarge.push(...await copyProfiles(paths, join(profilesStage, PROFILES), profileLimitMb));
      parts.push(await partOf(profilesStage, [PROFILES], join(stage, ".profiles")));
    }
    sayTooLarge(tooLarge);
    using file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
    await writeArchive(file, parts);
    await file.sync();
    const { size, ino } = await file.stat();
    await Deno.rename(temporary, target);
    if ((await Deno.lstat(target)).ino !== ino) throw new Error("another program has replaced it");
    using folder = await Deno.open(dirname(target));
    await folder.sync();
    return size;
  } catch (error) {
    throw new CommandError(`${target} could not be written: ${errorText(error)}`);
  } finally {
    await clean();
  }
}

/** Names at most. */
const MAX_TOLD = 20;

function sayTooLarge(paths: readonly string[]): void {
  for (const path of paths.slice(0, MAX_TOLD)) console.error(`Left out because it is too large: ${path}`);
  if (paths.length > MAX_TOLD) console.error(`Left out as well: ${paths.length - MAX_TOLD} more`);
}

/** Checks the target: a backup replaces a backup, but no other file, and is not in the folder that it saves. */
async function checkTarget(target: string, { streamsDir }: Paths): Promise<void> {
  if (!relative(streamsDir, target).startsWith("../")) {
    throw new CommandError(`${target} is in the folder that is saved. Choose another place.`);
  }
  const there = await Deno.lstat(target).catch(() => null);
  if (!there) return;
  using file = openRegular(target);
  const head = new Uint8Array(2);
  await file?.read(head);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b; // RFC 1952, section 2.3.1
  if (!isGzip && there.size > 0) {
    throw new CommandError(`${target} is there, and is not a backup. Choose another name, or remove it.`);
  }
}

async function partOf(folder: string, tops: string[], namesFile: string): Promise<Part> {
  const here = tops.filter((name) => isThere(join(folder, name)));
  await Deno.writeFile(
    namesFile,
    here.length > 0 ? await find(folder, [...here, "-print0"], FIND_LIMITS) : new Uint8Array(),
  );
  return { folder, namesFile };
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The files of a profile, without caches and links. */
const PROFILE_FILES = [
  "-type",
  "d",
  "(",
  ...CACHES.flatMap((name, at) => [...(at > 0 ? ["-o"] : []), "-name", name]),
  ")",
  "-prune",
  "-o",
  "-type",
  "f",
];

/**
 * Copies the streams' profiles, each with the rights of its user, who may change it meanwhile. Returns the profiles that
 * are larger than a profile may be: the service would empty them.
 */
async function copyProfiles({ profilesDir }: Paths, to: string, limitMb: number): Promise<string[]> {
  const tooLarge: string[] = [];
  await Deno.mkdir(to);
  const ids = await Array.fromAsync(Deno.readDir(profilesDir), ({ name }) => name).catch(() => []);
  for (const id of ids.filter(isStreamId).sort()) {
    const profile = join(profilesDir, id);
    if (await ownerOf(profile) === null) continue; // the entry is no folder
    const names = await findBelow(profile, PROFILE_FILES, FIND_LIMITS);
    const limits = { file: Infinity, all: limitMb * 1_000_000 };
    if ((await copyFiles(profile, names, join(to, id), limits)).length === 0) continue;
    tooLarge.push(profile);
    await removeTree(join(to, id));
  }
  return tooLarge;
}
