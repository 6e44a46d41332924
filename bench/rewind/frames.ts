/** Raw pictures: from a stream, from a file, and as Matroska with their times. */
import { matroskaHeader, pictureHead } from "../../lib/display/capture/matroska.ts";
import { PICTURE_BYTES, type Shown, SIZE } from "./past.ts";

/** Cuts a stream into pictures of so many bytes. Each is overwritten by the one after the next. */
export async function* framesOf(
  stream: ReadableStream<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  const frames = [new Uint8Array(bytes), new Uint8Array(bytes)];
  let [filled, count] = [0, 0];
  for await (const chunk of stream) {
    let from = 0;
    while (from < chunk.length) {
      const frame = frames[count % 2];
      const part = chunk.subarray(from, from + bytes - filled);
      frame.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < bytes) continue;
      yield frame;
      filled = 0;
      count++;
    }
  }
}

/** Reads the first bytes of a picture of a file. */
export function readPicture(file: Deno.FsFile, number: number, into: Uint8Array): void {
  file.seekSync(number * PICTURE_BYTES, Deno.SeekMode.Start);
  for (let filled = 0; filled < into.length;) {
    const read = file.readSync(into.subarray(filled));
    if (read === null) throw new Error(`There is no picture ${number}`);
    filled += read;
  }
}

/** Writes these pictures of a file as Matroska, as the capture program does, and closes. */
export async function feed(
  path: string,
  shown: readonly Shown[],
  to: WritableStream<Uint8Array>,
): Promise<void> {
  using file = await Deno.open(path);
  const writer = to.getWriter();
  await writer.write(matroskaHeader(SIZE, 1));
  const picture = new Uint8Array(PICTURE_BYTES);
  for (const { second, number } of shown) {
    readPicture(file, number, picture);
    await writer.write(pictureHead(second * 1000, PICTURE_BYTES));
    await writer.write(picture);
  }
  await writer.close();
}
