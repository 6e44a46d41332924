/** The encoder's side of a display's sockets. */
import { join } from "node:path";
import { sleep, withTimeout } from "../../machine/tools/time.ts";
import { writeAll } from "../../machine/tools/write_all.ts";
import { SOCKETS } from "./display_sockets.ts";
import { type Wanted, wantedLine } from "./wanted.ts";

/** The socket of a display's pictures. */
export function videoSocket(folder: string): string {
  return join(folder, SOCKETS.video);
}

/**
 * Asks for a display's pictures. The request counts from now on, for every reader.
 * @param limitMs of the wait for the answer: the capture program may just be starting, or be restarted.
 * @throws {Error} the reason why there are no pictures.
 */
export async function askForPictures(folder: string, wanted: Wanted, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  let answer: string | null = null;
  while (answer === null) {
    using connection = await connect(join(folder, SOCKETS.ask), deadline);
    const left = Math.max(1, deadline - performance.now());
    answer = await withTimeout(left, ask(connection, wanted), "the capture program does not answer");
    if (answer === null && performance.now() >= deadline) {
      throw new Error("the capture program does not answer");
    }
    if (answer === null) await sleep(AGAIN_MS);
  }
  if (answer !== "ok") throw new Error(answer);
}

/** Milliseconds between two tries. */
const AGAIN_MS = 50;

/** The answer to a question; null: the program has ended meanwhile. */
async function ask(connection: Deno.UnixConn, wanted: Wanted): Promise<string | null> {
  const MAX_ANSWER = 1024;
  const bytes = new Uint8Array(MAX_ANSWER);
  try {
    await writeAll(connection, new TextEncoder().encode(wantedLine(wanted)));
    const read = await connection.read(bytes);
    return new TextDecoder().decode(bytes.subarray(0, read ?? 0)).trim() || null;
  } catch {
    return null;
  }
}

async function connect(path: string, deadline: number): Promise<Deno.UnixConn> {
  for (;; await sleep(AGAIN_MS)) {
    try {
      return await Deno.connect({ transport: "unix", path });
    } catch {
      if (performance.now() >= deadline) throw new Error("the capture program does not run");
    }
  }
}
