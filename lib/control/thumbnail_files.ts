/** The thumbnails on disk: `thumb.jpg` in a folder of each stream, beside the stream list, so that they outlive a container. */
import { dirname } from "node:path";
import { isWholeJpeg } from "../pipeline/thumbnail_capture.ts";
import { thumbFile } from "../paths.ts";
import { readBytesOrNull, removeTemporaryFiles, removeTree, writeFileAtomic } from "../system/files.ts";
import { errorText, log } from "../system/log.ts";
import { STREAM_ID } from "../streams/schema.ts";

export interface Thumbnail {
  /** A JPEG. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Unix ms; also the file's time. */
  takenAt: number;
}

/** Pages behind a login are on them: for nobody else on the machine. */
const FILE_MODE = 0o600, FOLDER_MODE = 0o700;

/** Replaces the thumbnail. A reader gets the old or the new one, whole. */
export async function writeThumbnail(
  streamsDir: string,
  id: string,
  { bytes, takenAt }: Thumbnail,
): Promise<void> {
  const file = thumbFile(streamsDir, id);
  await Deno.mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
  await writeFileAtomic(file, bytes, FILE_MODE, new Date(takenAt));
}

/** The thumbnail, or null if the file is gone. */
export async function readThumbnail(
  streamsDir: string,
  id: string,
  takenAt: number,
): Promise<Thumbnail | null> {
  const bytes = await readBytesOrNull(thumbFile(streamsDir, id));
  return bytes && { bytes, takenAt };
}

/** Removes a stream's thumbnail and its folder; a folder with files of somebody else stays. */
export async function removeThumbnail(streamsDir: string, id: string): Promise<void> {
  const file = thumbFile(streamsDir, id);
  await removeTemporaryFiles(file);
  await removeTree(file);
  await Deno.remove(dirname(file)).catch(() => {}); // missing, or not empty
}

/**
 * When the thumbnails of these streams were taken, by id. Removes broken ones (a power cut) and those of other ids.
 */
export async function loadThumbnailTimes(
  streamsDir: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for await (const { name, isDirectory } of Deno.readDir(streamsDir)) {
    if (!isDirectory || !STREAM_ID.test(name)) continue;
    try {
      const file = thumbFile(streamsDir, name);
      await removeTemporaryFiles(file);
      const takenAt = ids.includes(name) ? await takenAtOf(file) : null;
      if (takenAt !== null) times.set(name, takenAt);
      else await removeThumbnail(streamsDir, name);
    } catch (error) {
      log("warn", "thumbnail of an earlier run not read", { stream: name, error: errorText(error) });
    }
  }
  return times;
}

/** The time of a thumbnail's file; null if there is none, or it is broken. */
async function takenAtOf(file: string): Promise<number | null> {
  const bytes = await readBytesOrNull(file);
  if (!bytes || !isWholeJpeg(bytes)) return null;
  return (await Deno.stat(file)).mtime?.getTime() ?? null;
}
