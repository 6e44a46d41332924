/** Regular files for reading: no link that leads elsewhere, no pipe that never ends. */
import { cString } from "./exec.ts";

/** The data of the regular file at the path itself; null: there is no regular file. */
export async function regularFile(path: string): Promise<Deno.FileInfo | null> {
  try {
    const info = await Deno.lstat(path);
    return info.isFile ? info : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return null;
    throw error;
  }
}

/** Deno follows links and waits for the other end of a pipe when it opens a file; libc can do without. */
const libc = Deno.dlopen("libc.so.6", {
  close: { parameters: ["i32"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
});

/** Source: fcntl.h of Linux. */
const O_NOFOLLOW = 0o400_000;
const O_PATH_CLOEXEC = 0o12_000_000;

/**
 * Opens a regular file for reading; null: there is no regular file. The opened file is the checked file, whatever is
 * put in its place meanwhile: a link leads nowhere, and a pipe causes no wait.
 * @param links whether a link at the path itself may lead to the file. @throws {Error} when the file may not be read.
 */
export function openRegular(path: string, links: "refused" | "followed" = "refused"): Deno.FsFile | null {
  const flags = O_PATH_CLOEXEC | (links === "refused" ? O_NOFOLLOW : 0);
  const place = libc.symbols.open(cString(path), flags);
  if (place < 0) return missing(path, links);
  try {
    const found = `/proc/self/fd/${place}`;
    return Deno.statSync(found).isFile ? Deno.openSync(found) : null;
  } finally {
    libc.symbols.close(place);
  }
}

/** Null: the path does not exist. @throws {Error} the reason why the path cannot be examined. */
function missing(path: string, links: "refused" | "followed"): null {
  try {
    (links === "refused" ? Deno.lstatSync : Deno.statSync)(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) throw error;
  }
  return null;
}

/** The bytes from `from` up to `to`; fewer if the file ends before. */
export async function readRange(file: Deno.FsFile, from: number, to: number): Promise<Uint8Array> {
  await file.seek(from, Deno.SeekMode.Start);
  const bytes = new Uint8Array(Math.max(0, to - from));
  let length = 0;
  while (length < bytes.length) {
    const read = await file.read(bytes.subarray(length));
    if (read === null) break;
    length += read;
  }
  return bytes.subarray(0, length);
}
