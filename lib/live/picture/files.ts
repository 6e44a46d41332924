/** The thumbnails on disk, in a folder of each stream beside the stream list, so that they outlive a container. */
import { dirname, join } from "node:path";
import { isWholeJpeg } from "../../display/screen_grabs.ts";
import { readBytesOrNull, removeTree, writeFileAtomic } from "../../machine/os/files.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import { isStreamId, type StreamId } from "../../model/id.ts";

export interface ThumbnailFile {
  /** A JPEG. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Unix ms; also the file's time. */
  capturedAt: number;
}

/** Nobody else on the machine may read a thumbnail, since it may show a page behind a login. */
const FILE_MODE = 0o600, FOLDER_MODE = 0o700;

/** Where the stream's thumbnail is: beside the list, the only folder that outlives a container. */
export function thumbnailFile(streamsDir: string, id: StreamId): string {
  return join(streamsDir, id, "thumb.jpg");
}

/** Where a thumbnail is written before it takes the old one's place. */
export function temporaryThumbnailFile(streamsDir: string, id: StreamId): string {
  return join(streamsDir, id, "thumb.tmp.jpg");
}

/** Replaces the thumbnail. A reader gets the old or the new thumbnail, whole. */
export async function writeThumbnail(
  streamsDir: string,
  id: StreamId,
  thumbnail: ThumbnailFile,
): Promise<void> {
  const temporary = temporaryThumbnailFile(streamsDir, id);
  await Deno.mkdir(dirname(temporary), { recursive: true, mode: FOLDER_MODE });
  await writeFileAtomic(thumbnailFile(streamsDir, id), thumbnail.bytes, FILE_MODE, {
    temporary,
    changedAt: new Date(thumbnail.capturedAt),
  });
}

/** The thumbnail, or null if the file is gone. */
export async function readThumbnail(
  streamsDir: string,
  id: StreamId,
  capturedAt: number,
): Promise<ThumbnailFile | null> {
  const bytes = await readBytesOrNull(thumbnailFile(streamsDir, id));
  return bytes && { bytes, capturedAt };
}

/** Removes a stream's thumbnail and its folder; a folder with files of somebody else stays. */
export async function removeThumbnail(streamsDir: string, id: StreamId): Promise<void> {
  const file = thumbnailFile(streamsDir, id);
  await removeTree(temporaryThumbnailFile(streamsDir, id));
  await removeTree(file);
  await Deno.remove(dirname(file)).catch(() => {}); // it is missing, or not empty
}

/**
 * When the thumbnails of these streams were captured, by id. Removes broken files (a power cut) and other ids' files.
 */
export async function loadThumbnailTimes(
  streamsDir: string,
  ids: readonly StreamId[],
): Promise<Map<StreamId, number>> {
  const times = new Map<StreamId, number>();
  for await (const { name, isDirectory } of Deno.readDir(streamsDir)) {
    if (!isDirectory || !isStreamId(name)) continue;
    try {
      await removeTree(temporaryThumbnailFile(streamsDir, name)); // left by a crash in the middle of a capture
      const capturedAt = ids.includes(name) ? await takenAtOf(thumbnailFile(streamsDir, name)) : null;
      if (capturedAt !== null) times.set(name, capturedAt);
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
