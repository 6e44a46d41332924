/** Whether a server that has to answer does: it was started is not enough, since the kernel accepts for one that hangs. */
import { withTimeout } from "./time.ts";
import { writeAll } from "./write_all.ts";

export interface Question {
  address: Deno.ConnectOptions | Deno.UnixConnectOptions;
  /** Empty: the end of what we say is the question. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether the connection's end is no answer: a server that has no connection left cuts off at once. */
  wantsBytes?: boolean;
}

/** An HTTP server's; what it answers does not matter. */
export function httpQuestion(address: Question["address"], path = "/"): Question {
  const text = `GET ${path} HTTP/1.0\r\nHost: localhost\r\n\r\n`;
  return { address, bytes: new TextEncoder().encode(text) };
}

/** Whether there is an answer, or the connection's end, within the limit. What is answered is not looked at. */
export async function answers(
  { address, bytes, wantsBytes = false }: Question,
  limitMs: number,
): Promise<boolean> {
  let connection: Deno.Conn | undefined;
  let isOver = false;
  const ask = async () => {
    connection = await ("path" in address ? Deno.connect(address) : Deno.connect(address));
    if (isOver) return connection.close();
    if (bytes.length > 0) await writeAll(connection, bytes);
    else await connection.closeWrite();
    // a connection that is cut off was noticed as well
    const read = await connection.read(new Uint8Array(1)).catch(() => null);
    if (wantsBytes && read === null) throw new Error("nothing was said");
  };
  try {
    await withTimeout(limitMs, ask());
    return true;
  } catch {
    return false;
  } finally {
    isOver = true;
    connection?.close();
  }
}
