/** Whether a server answers. A started server is not enough: the kernel accepts connections for a hanging server. */
import { withTimeout } from "./time.ts";
import { writeAll } from "./write_all.ts";

export interface Question {
  address: Deno.ConnectOptions | Deno.UnixConnectOptions;
  /** The question; empty: the end of our data is the question. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether the connection's end is no answer: a server without a free connection cuts off at once. */
  wantsBytes?: boolean;
}

/** The question to an HTTP server; any answer is enough. */
export function httpQuestion(address: Question["address"], path = "/"): Question {
  const text = `GET ${path} HTTP/1.0\r\nHost: localhost\r\n\r\n`;
  return { address, bytes: new TextEncoder().encode(text) };
}

/** Whether an answer, or the connection's end, comes within the limit. The answer's content is not read. */
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
    // a server that cuts the connection off has noticed it as well
    const read = await connection.read(new Uint8Array(1)).catch(() => null);
    if (wantsBytes && read === null) throw new Error("no answer came");
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
