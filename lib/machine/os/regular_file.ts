/** Regular files for reading: no link that leads elsewhere, no pipe that never ends. */
import { holdPath, type Links } from "./held_path.ts";

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

/**
 * Opens a regular file for reading; null: there is no regular file. The opened file is the checked file, whatever is
 * put in its place meanwhile: a link leads nowhere, and a pipe causes no wait.
 * @param links whether a link at the path itself may lead to the file. @throws {Error} when the file may not be read.
 */
export function openRegular(path: string, links: Links = "refused"): Deno.FsFile | null {
  using held = holdPath(path, links);
  return held?.info.isFile ? Deno.openSync(held.path) : null;
}

/** An opened file's text; null: it has more than `most` bytes. Synchronous, for work with another user's rights. */
export function shortText(file: Deno.FsFile, most: number): string | null {
  const bytes = shortBytes(file, most);
  return bytes && new TextDecoder().decode(bytes);
}

/** As `shortText`, its bytes. */
export function shortBytes(file: Deno.FsFile, most: number): Uint8Array<ArrayBuffer> | null {
  const bytes = new Uint8Array(most + 1);
  let length = 0;
  for (let read = 1; read > 0; length += read) read = file.readSync(bytes.subarray(length)) ?? 0;
  return length > most ? null : bytes.subarray(0, length);
}

/** So many bytes of a file at most: it may grow for ever while it is read. */
export function firstBytes(file: Deno.FsFile, bytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = bytes;
  return file.readable.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        if (left > 0) controller.enqueue(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) controller.terminate();
      },
    }),
  );
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
