/** Files that survive a crash at any point, and folders with an owner. */
import { basename, dirname, join } from "node:path";
import { type Identity, isRoot } from "./exec.ts";
import { type HeldPath, holdPath, type Links } from "./held_path.ts";
import { run } from "./process.ts";
import { openRegular } from "./regular_file.ts";
import { editedText } from "../tools/text_encoding.ts";
import { sleep } from "../tools/time.ts";
import { writeAll } from "../tools/write_all.ts";

/**
 * Replaces a file: temporary file beside it, fsync, rename, fsync of the directory. After a crash at any point the
 * old or the new content is there, whole.
 * @param options the temporary file's path, where it has to be a certain path; the file's time, where it is not now.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  mode = 0o644,
  options: { temporary?: string; changedAt?: Date } = {},
): Promise<void> {
  const { temporary = temporaryFile(path), changedAt } = options;
  try {
    // a crash may have left a file at a certain path
    const isNew = options.temporary === undefined;
    using file = await Deno.open(temporary, {
      write: true,
      create: true,
      createNew: isNew,
      truncate: !isNew,
      mode,
    });
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await writeAll(file, bytes);
    if (changedAt) await file.utime(changedAt, changedAt);
    await file.sync();
    await Deno.rename(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
  using directory = await Deno.open(dirname(path));
  await directory.sync();
}

/** A path beside a file, for the file that is to replace it; `removeTemporaryFiles` finds such paths. */
export function temporaryFile(path: string): string {
  return join(dirname(path), `.${basename(path)}.${crypto.randomUUID().slice(0, 8)}.tmp`);
}

/** Whether there is a socket at a path; a link is none. */
export function isSocket(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSocket === true;
  } catch {
    return false;
  }
}

/** Removes the files that a crash in the middle of `writeFileAtomic(path)` left. */
export async function removeTemporaryFiles(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (name.startsWith(`.${basename(path)}.`) && name.endsWith(".tmp")) {
        await Deno.remove(join(folder, name));
      }
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Writes a file only when its content differs; returns whether it wrote. */
export async function writeIfChanged(path: string, content: string, mode = 0o644): Promise<boolean> {
  if (await readOrNull(path) === content) return false;
  await writeFileAtomic(path, content, mode);
  return true;
}

/** Bytes of a file that is read as a whole, at most: no file of ours has a tenth of these. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * A file's text, or null if there is none: in UTF-8, or by its byte order mark in UTF-16, as editors of Windows save it.
 * @throws {Error} when it is a pipe, a device or a folder, or too long.
 */
export async function readOrNull(path: string): Promise<string | null> {
  const bytes = await readBytesOrNull(path);
  return bytes && editedText(bytes);
}

/** A file's bytes, or null if there is none. @throws {Error} as `readOrNull` does. */
export async function readBytesOrNull(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  using file = openRegular(path, "followed");
  if (!file) return await nullIfMissing(path);
  // a file of /proc says that it has 0 bytes
  let bytes = new Uint8Array(Math.min(file.statSync().size, MAX_FILE_BYTES) + 4096);
  let length = 0;
  for (;;) {
    const count = await file.read(bytes.subarray(length));
    if (count === null) return bytes.slice(0, length);
    length += count;
    if (length > MAX_FILE_BYTES) throw new Error(`${path} has more than ${MAX_FILE_BYTES / 1024 ** 2} MiB`);
    if (length === bytes.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(bytes);
      bytes = larger;
    }
  }
}

async function nullIfMissing(path: string): Promise<null> {
  try {
    await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  throw new Error(`${path} is not a regular file`);
}

/** The names in a folder; none where there is no folder. @throws {Error} when it cannot be read. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Milliseconds to remove a tree: a disk removes some 10,000 files in a second. */
const REMOVE_MS = 60_000;

/**
 * Removes a file or tree; a missing path is fine. No link is followed, and no depth is too large: rm removes the trees,
 * since Deno calls itself for each level, and a user with some 10,000 levels would end this process.
 * @throws {Error} when the removal fails, or takes longer than `limitMs`: then a part of the tree is left.
 */
export async function removeTree(path: string, limitMs = REMOVE_MS): Promise<void> {
  const TRIES = 5; // a program that is just ending may still write into the tree
  for (let attempt = 1;; attempt++) {
    try {
      return await Deno.remove(path); // a file, a link, a folder with nothing in it
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
    }
    const { code, stderr } = await run(["/bin/rm", "-rf", "--one-file-system", "--", path], {
      timeoutMs: limitMs,
      clearEnv: true,
      cwd: "/",
      maxOutput: 1024 * 1024,
    });
    if (code === 0) return;
    if (attempt === TRIES) throw new Error(`${path} cannot be removed: ${stderr.trim().split("\n")[0]}`);
    await sleep(50 * attempt);
  }
}

/** The owner of a file: a user, and a group that may be another user's. */
export type Owner = Pick<Identity, "uid" | "gid">;

/**
 * Makes a folder (and the folders above it) with this mode and, as root, with this owner. Owner and mode are set on the very
 * folder that was examined: the owner of the folder above may put a link there at any moment.
 * @param links whether a link may stand for the folder; a normal user's may, since it leads no further than that user.
 * @throws {Error} when there is a link, or no folder.
 */
export async function ensureFolder(
  path: string,
  mode: number,
  owner?: Owner,
  links: Links = isRoot() ? "refused" : "followed",
): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode });
  using held = holdFor(path, links);
  if (!held.info.isDirectory) throw new Error(`${path} is not a folder`);
  if (owner) await giveHeld(owner, held);
  await Deno.chmod(held.path, mode);
}

/** A folder with its mode and owner; without an owner it is ours. */
export type FolderRights = [path: string, mode: number, owner?: Owner];

/** Folders that keep the rights that they had at the first look: not every file system takes all modes and owners. */
export class KeptFolders {
  #folders: readonly FolderRights[];
  /** Owner, group and mode by path; null: there has been no look yet. */
  #found: Map<string, string> | null = null;

  /** @param folders as they were made. */
  constructor(folders: readonly FolderRights[]) {
    this.#folders = folders;
  }

  /** Gives folders their rights again. @returns whether any had others. @throws {Error} when it cannot. */
  async look(): Promise<boolean> {
    const rights = await Promise.all(this.#folders.map(([path]) => rightsOf(path)));
    const found = this.#found ??= new Map(this.#folders.map(([path], at) => [path, rights[at]]));
    const undone = this.#folders.filter(([path], at) => rights[at] !== found.get(path));
    for (const [path, mode, owner = { uid: Deno.uid()!, gid: Deno.gid()! }] of undone) {
      await ensureFolder(path, mode, owner);
      const now = await rightsOf(path);
      if (now !== found.get(path)) {
        throw new Error(`${path} has other rights: ${now}, not ${found.get(path)}`);
      }
    }
    return undone.length > 0;
  }
}

/** Owner, group and mode of a folder, as a text. */
async function rightsOf(path: string): Promise<string> {
  const there = await lstatOrNull(path);
  if (!there?.isDirectory) return "no folder";
  return `${there.uid}:${there.gid} ${(there.mode! & 0o7777).toString(8)}`;
}

async function lstatOrNull(path: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Gives a file or folder to a user; only root can, and only root needs to. @throws {Error} when there is a link. */
export async function giveTo(owner: Owner, path: string): Promise<void> {
  if (!isRoot()) return;
  using held = holdFor(path, "refused");
  await giveHeld(owner, held);
}

async function giveHeld(owner: Owner, { path }: HeldPath): Promise<void> {
  if (isRoot()) await Deno.chown(path, owner.uid, owner.gid);
}

/** @throws {Error} when there is a link, or nothing. */
function holdFor(path: string, links: Links): HeldPath {
  const held = holdPath(path, links);
  if (!held) throw new Deno.errors.NotFound(`${path} is not there`);
  if (!held.info.isSymlink) return held;
  held[Symbol.dispose]();
  throw new Error(`${path} is a link, and is not followed`);
}

/**
 * Gives a tree from one owner to another: only files of the first owner. No link is followed, since the first owner may
 * have put links there. @throws {Error} when a file cannot be given.
 */
export async function giveTree(path: string, from: number, to: Identity): Promise<void> {
  if (from === 0) {
    // root has files that matter: a file of root's with a second name may belong elsewhere, too
    const find = ["/usr/bin/find", path, "!", "-type", "d", "-uid", "0", "-links", "+1", "-print", "-quit"];
    const { stdout } = await run(find, { timeoutMs: 120_000, clearEnv: true });
    if (stdout !== "") throw new Error(`${stdout.trim()} has more than one name: it is not given away`);
  }
  const argv = ["-R", "-P", "-h", `--from=${from}`, `${to.uid}:${to.gid}`, "--", path];
  const { code, stderr } = await run(["/bin/chown", ...argv], { timeoutMs: 120_000, clearEnv: true });
  if (code !== 0) {
    throw new Error(`${path} cannot be given to user ${to.name}: ${stderr.trim().split("\n")[0]}`);
  }
}
