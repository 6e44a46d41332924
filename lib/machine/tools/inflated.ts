/** Decompresses what others have packed: little is held at once, whatever is in it. */

/** Bytes that go in at once: gzip and deflate make up to a thousand times as many of them. */
const PIECE_BYTES = 1024;

/**
 * What is packed, part by part, of about 1 MiB at most: the next piece waits until a part is used, and nothing more is
 * decompressed when its user has had enough. @throws {Error} for what is not packed so; of gzip also for what ends
 * early.
 */
export async function* inflated(
  packed: Uint8Array<ArrayBuffer>,
  format: CompressionFormat,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const pieces = function* () {
    for (let at = 0; at < packed.length; at += PIECE_BYTES) yield packed.subarray(at, at + PIECE_BYTES);
  };
  yield* ReadableStream.from(pieces()).pipeThrough(new DecompressionStream(format));
}
