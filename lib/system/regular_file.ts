/** Files for reading that are what they look like: no link that leads elsewhere, no pipe that never ends. */

/** What is at the path itself, if it is a regular file; else null. */
export async function regularFile(path: string): Promise<Deno.FileInfo | null> {
  try {
    const info = await Deno.lstat(path);
    return info.isFile ? info : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return null;
    throw error;
  }
}

/** Opens a regular file; null if there is none. Deno has no O_NOFOLLOW, so what was opened is compared. */
export async function openRegular(path: string): Promise<Deno.FsFile | null> {
  const expected = await regularFile(path);
  if (!expected) return null;
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  const { ino, dev } = await file.stat();
  if (ino === expected.ino && dev === expected.dev) return file;
  file.close();
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
