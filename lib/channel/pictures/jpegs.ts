/** JPEGs that come one after the other, as ffmpeg writes them to a pipe. */

/** Bytes of one picture at most: noise on 4096 x 2160 pixels. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The whole pictures of a flow of bytes. In a picture's data FF D9 is its end alone, since an FF there is followed by 00
 * (ITU-T T.81, B.1.1.5).
 * @throws {Error} when the bytes are no JPEG, or one is too large: a page's user may have written them.
 */
export async function* jpegsIn(
  bytes: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let last = 0;
  for await (const part of bytes) {
    let begin = 0;
    for (let at = part.indexOf(0xd9); at >= 0; at = part.indexOf(0xd9, at + 1)) {
      if ((at === 0 ? last : part[at - 1]) !== 0xff) continue;
      const picture = await new Blob([...parts, part.subarray(begin, at + 1)]).bytes();
      if (picture.length < 4 || picture[0] !== 0xff || picture[1] !== 0xd8) throw new Error("no JPEG came");
      [parts, size, begin] = [[], 0, at + 1];
      yield picture;
    }
    if (begin < part.length) {
      parts.push(part.subarray(begin));
      size += part.length - begin;
      last = part[part.length - 1];
    }
    if (size > MAX_BYTES) throw new Error(`a JPEG has more than ${MAX_BYTES} bytes`);
  }
}
