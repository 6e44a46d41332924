/** Where the capture program says that it is alive: a connection is answered as soon as its one thread gets to it. */
import { join } from "node:path";
import { removeTree } from "../system/files.ts";
import type { Question } from "../system/probe.ts";

const SOCKET = "alive";

/** What the capture program has to answer. @param captureDir its folder. */
export function captureQuestion(captureDir: string): Question {
  return { address: { transport: "unix", path: join(captureDir, SOCKET) }, bytes: new Uint8Array(0) };
}

export interface SignOfLife extends Disposable {
  /** Resolves after the end. */
  ended: Promise<void>;
}

/** Answers whoever gets to the socket: the folder's group. @throws {Error} when it cannot listen. */
export async function giveSignOfLife(captureDir: string): Promise<SignOfLife> {
  const path = join(captureDir, SOCKET);
  await removeTree(path); // a killed one has left it
  const listener = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o660);
  const answerAll = async () => {
    // the end of the connection is the answer
    for await (const connection of listener) connection.close();
  };
  return { ended: answerAll(), [Symbol.dispose]: () => listener.close() };
}
