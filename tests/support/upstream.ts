/** A media server that does as the test says, byte by byte, so that it can also misbehave. */

export interface Exchange {
  method: string;
  path: string;
  headers: Headers;
  /** Writes raw bytes; nothing is added. */
  send(data: string | Uint8Array): Promise<void>;
  /** Writes a head with a length, and the body if there is one. */
  answer(status: number, headers: Record<string, string | number>, body?: string | Uint8Array): Promise<void>;
  /** Ends the connection. */
  hangUp(): void;
  /** Settles when the other side has ended it. */
  gone: Promise<void>;
}

export interface FakeUpstream extends AsyncDisposable {
  origin: string;
  /** "METHOD path" of all requests so far. */
  requests: string[];
}

/** Listens on loopback; `using` the answer stops it and ends all connections. */
export function fakeUpstream(handle: (exchange: Exchange) => unknown, port = 0): FakeUpstream {
  const listener = Deno.listen({ hostname: "127.0.0.1", port });
  const requests: string[] = [];
  const open = new Set<Deno.Conn>();
  const end = (conn: Deno.Conn) => {
    if (open.delete(conn)) conn.close();
  };

  async function talk(conn: Deno.Conn): Promise<void> {
    const gone = Promise.withResolvers<void>();
    const buffer = new Uint8Array(4096);
    let text = "";
    try {
      for (let size = await conn.read(buffer); size !== null; size = await conn.read(buffer)) {
        text += new TextDecoder().decode(buffer.subarray(0, size));
        for (let at = text.indexOf("\r\n\r\n"); at >= 0; at = text.indexOf("\r\n\r\n")) {
          const [first, ...lines] = text.slice(0, at).split("\r\n");
          text = text.slice(at + 4);
          const [method, path] = first.split(" ");
          requests.push(`${method} ${path}`);
          const headers = new Headers(
            lines.map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]),
          );
          const send = async (data: string | Uint8Array) => {
            const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
            for (let sent = 0; sent < bytes.length;) {
              sent += await conn.write(bytes.subarray(sent)).catch(() => bytes.length);
            }
          };
          const answer: Exchange["answer"] = async (status, fields, body = "") => {
            const length = typeof body === "string" ? new TextEncoder().encode(body).length : body.length;
            const all = { "content-length": length, ...fields };
            const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("");
            await send(`HTTP/1.1 ${status} X\r\n${head}\r\n`);
            if (length > 0 && method !== "HEAD") await send(body);
          };
          handle({ method, path, headers, send, answer, hangUp: () => end(conn), gone: gone.promise });
        }
      }
    } catch {
      // ended by a test
    }
    gone.resolve();
    end(conn);
  }

  const accepting = (async () => {
    for await (const conn of listener) {
      open.add(conn);
      talk(conn);
    }
  })();
  return {
    origin: `http://127.0.0.1:${listener.addr.port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      open.forEach(end);
      await accepting;
    },
  };
}

/** Bytes that differ from place to place, so that a mix-up shows. */
export function someBytes(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) & 255);
}
