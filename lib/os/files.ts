/** Files that survive a crash at any point, and folders with an owner. */
import { basename, dirname, join } from "node:path";
import { type Identity, isRoot } from "./exec.ts";
import { run } from "./process.ts";
import { openRegular } from "./regular_file.ts";
import { sleep } from "../system/time.ts";
import { writeAll } from "../system/write_all.ts";

/**
 * Replaces a file: temporary file beside it, fsync, rename, fsync of the directory. After a crash at any point the
 * old or the new content is there, whole.
 * @param options the temporary file's path, where it has to have a certain one; the file's time, where it is not now.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  mode = 0o644,
  options: { temporary?: string; changedAt?: Date } = {},
): Promise<void> {
  const { temporary = temporaryFile(path), changedAt } = options;
  try {
    // one of a certain path may have been left by a crash
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

/** A path beside a file, for what is to take its place; `removeTemporaryFiles` finds it. */
export function temporaryFile(path: string): string {
  return join(dirname(path), `.${basename(path)}.${crypto.randomUUID().slice(0, 8)}.tmp`);
}

/** Removes what a crash in the middle of `writeFileAtomic(path)` left. */
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

/** Writes a file only when its content differs; says whether it did. */
export async function writeIfChanged(path: string, content: string, mode = 0o644): Promise<boolean> {
  if (await readOrNull(path) === content) return false;
  await writeFileAtomic(path, content, mode);
  return true;
}

/** Bytes of a file that is read as a whole: none of ours has a tenth of that. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** A file's text, or null if there is none. @throws {Error} when it is a pipe, a device or a folder, or too long. */
export async function readOrNull(path: string): Promise<string | null> {
  const bytes = await readBytesOrNull(path);
  return bytes && new TextDecoder().decode(bytes);
}

/** A file's bytes, or null if there is none. @throws {Error} as `readOrNull` does. */
export async function readBytesOrNull(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  using file = openRegular(path, "followed");
  if (!file) return await nullIfMissing(path);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of file.readable) {
    length += chunk.length;
    if (length > MAX_FILE_BYTES) throw new Error(`${path} has more than ${MAX_FILE_BYTES / 1024 ** 2} MiB`);
    chunks.push(chunk);
  }
  return await new Blob(chunks).bytes();
}

async function nullIfMissing(path: string): Promise<null> {
  try {
    await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  throw new Error(`${path} is no regular file`);
}

/** Milliseconds for the files of a tree: a disk removes some 10,000 in a second. */
const REMOVE_MS = 60_000;

/**
 * Removes a file or tree; a missing one is fine. No link is followed, and no depth is too large: what others may nest is
 * removed by rm, since Deno calls itself for each level, and a user with some 10,000 levels would end this process.
 * @throws {Error} when it cannot, or takes longer than `limitMs`: then a part of it is left.
 */
export async function removeTree(path: string, limitMs = REMOVE_MS): Promise<void> {
  const TRIES = 5; // a program that is just ending may still write into it
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

/** Who has a file: a user, and a group that may be another's. */
export type Owner = Pick<Identity, "uid" | "gid">;

/** Makes a folder (and those above it) with, as root, this owner, and this mode. */
export async function ensureFolder(path: string, mode: number, owner?: Owner): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode });
  if (owner) await giveTo(owner, path);
  await Deno.chmod(path, mode);
}

/** Gives a file or folder to a user; only root can, and only root needs to. */
export async function giveTo(owner: Owner, path: string): Promise<void> {
  if (isRoot()) await Deno.chown(path, owner.uid, owner.gid);
}

/**
 * Gives a tree from one owner to another: only what belongs to the first, and no link is followed, since the first may
 * have put anything there. @throws {Error} when it cannot.
 */
export async function giveTree(path: string, from: number, to: Identity): Promise<void> {
  if (from === 0) {
    // of root there are files that matter: a second name for one of them does not belong to this tree alone
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
