import { Turn } from "../machine/tools/turns.ts";

/** Parts are sent together in pieces of so many characters. */
const PIECE = 64 * 1024;

function headersOf(type: string, size: number, headers: Record<string, string>): Record<string, string> {
  return { "content-type": type, "content-length": String(size), "cache-control": "no-cache", ...headers };
}

/**
 * A generated text file that clients fetch again and again. Its length is told by us, so that HEAD tells it as well:
 * Deno would say 0 there.
 */
export function textFile(text: string, type: string, headers: Record<string, string> = {}): Response {
  const bytes = new TextEncoder().encode(text);
  return new Response(bytes, { headers: headersOf(type, bytes.length, headers) });
}

/**
 * A large one: each part is made when the client has taken those before it, so a slow client holds one piece, and a
 * fast one gives others their turns. @param size of all parts, in bytes.
 */
export function textFileInParts(
  parts: Iterator<string>,
  size: number,
  type: string,
  headers: Record<string, string> = {},
): Response {
  const encoder = new TextEncoder();
  const turn = new Turn();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await turn.pause();
      let piece = "", isDone: boolean | undefined;
      while (piece.length < PIECE && !isDone) {
        const { done, value } = parts.next();
        isDone = done;
        if (!done) piece += value;
      }
      if (piece) controller.enqueue(encoder.encode(piece));
      if (isDone) controller.close();
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: headersOf(type, size, headers) });
}
