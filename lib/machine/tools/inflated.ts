/** Decompresses data from others with little memory, whatever the data holds. */

/** Bytes that go in at once: gzip and deflate make up to a thousand times as many of them. */
const PIECE_BYTES = 1024;

/**
 * The decompressed data in parts of about 1 MiB at most. The next piece waits until the caller has used a part, and is never
 * decompressed when the caller stops. @throws {Error} for data in another format; in gzip also for data that ends early.
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
