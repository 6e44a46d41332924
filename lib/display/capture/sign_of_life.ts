/** The capture program's sign of life: it answers a connection as soon as its one thread gets to it. */
import { join } from "node:path";
import { closeAnyway } from "../../machine/tools/close.ts";
import { removeTree } from "../../machine/os/files.ts";
import type { Question } from "../../machine/tools/probe.ts";
import { withTimeout } from "../../machine/tools/time.ts";
import { writeAll } from "../../machine/tools/write_all.ts";
import { countsText, type FrameCountsOfDisplays, MAX_COUNTS, parseCounts } from "./frame_counts.ts";

const SOCKET = "alive";

/** The question to the capture program. @param captureDir its folder. */
export function captureQuestion(captureDir: string): Question {
  return { address: { transport: "unix", path: join(captureDir, SOCKET) }, bytes: new Uint8Array(0) };
}

export interface SignOfLife extends Disposable {
  /** Resolves after the end. */
  ended: Promise<void>;
}

/**
 * Answers every client of the socket, which is the folder's group, with the counts, and reads nothing.
 * @throws {Error} when the program cannot listen.
 */
export async function giveSignOfLife(captureDir: string, frames: FrameCountsOfDisplays): Promise<SignOfLife> {
  const path = join(captureDir, SOCKET);
  await removeTree(path); // a killed program has left the socket
  const listener = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o660);
  const answerAll = async () => {
    for await (const connection of listener) {
      // the text fits into the kernel's buffer; a client that has gone does not need it
      writeAll(connection, new TextEncoder().encode(countsText(frames))).catch(() => {})
        .finally(() => closeAnyway(connection));
    }
  };
  return { ended: answerAll(), [Symbol.dispose]: () => listener.close() };
}

/** The counts of all filmed displays. @throws {Error} when there is no answer within the limit. */
export async function askForCounts(captureDir: string, limitMs: number): Promise<FrameCountsOfDisplays> {
  const connection = await Deno.connect({ transport: "unix", path: join(captureDir, SOCKET) });
  try {
    return parseCounts(await withTimeout(limitMs, readText(connection)));
  } finally {
    closeAnyway(connection);
  }
}

async function readText(connection: Deno.Conn): Promise<string> {
  const bytes = new Uint8Array(MAX_COUNTS);
  let length = 0;
  while (length < bytes.length) {
    const read = await connection.read(bytes.subarray(length));
    if (read === null) break;
    length += read;
  }
  return new TextDecoder().decode(bytes.subarray(0, length));
}
