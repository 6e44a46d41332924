/** A company's proxy (RFC 9110 section 7.3, RFC 9112 section 3.2.2): the only one who knows the names of the sites behind it. */
import { Buffer } from "node:buffer";

export interface CompanyProxy {
  port: number;
  /** What it was asked for, "GET name:80" or "CONNECT name:443", also when it was refused; each once. */
  asked: Set<string>;
  /** How many requests had no login, or a wrong one. */
  refused: number;
  /** Ends all connections, too. */
  stop(): void;
  [Symbol.dispose](): void;
}

const HEAD_END = "\r\n\r\n";

/** @param names where they lead: a port of 127.0.0.1. @param login "user:password" that all must show; "" for nobody. */
export function companyProxy(names: Record<string, number>, login = "", port = 0): CompanyProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port });
  const open = new Set<Deno.Conn>();
  const proxy: CompanyProxy = {
    port: listener.addr.port,
    asked: new Set(),
    refused: 0,
    stop: () => {
      for (const connection of [listener, ...open]) {
        try {
          connection.close();
        } catch { /* it has ended */ }
      }
      open.clear();
    },
    [Symbol.dispose]: () => proxy.stop(),
  };
  const wanted = login && `Basic ${Buffer.from(login).toString("base64")}`;

  const answer = async (client: Deno.Conn, head: string, rest: Uint8Array) => {
    const [, method, target] = /^(\w+) (\S+) HTTP/.exec(head) ?? [];
    const url = new URL(method === "CONNECT" ? `https://${target}` : target);
    const place = `${url.hostname}:${url.port || (method === "CONNECT" ? 443 : 80)}`;
    proxy.asked.add(`${method} ${place}`);
    const say = (text: string) => client.write(new TextEncoder().encode(text));
    const shown = /^proxy-authorization: (.*)\r?$/im.exec(head)?.[1] ?? "";
    if (shown !== wanted) {
      proxy.refused++;
      await say(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="Company"\r\n' +
          "Content-Length: 0\r\nConnection: close\r\n\r\n",
      );
      return;
    }
    const known = names[url.hostname];
    if (known === undefined) {
      await say("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      return;
    }
    using server = await Deno.connect({ hostname: "127.0.0.1", port: known });
    open.add(server);
    if (method === "CONNECT") await say("HTTP/1.1 200 Connection established\r\n\r\n");
    else {
      const own = head.replace(target, url.pathname + url.search)
        .replace(/^(proxy-[a-z]+|connection): .*\r\n/gim, "");
      await server.write(new TextEncoder().encode(own.replace(HEAD_END, `\r\nConnection: close${HEAD_END}`)));
    }
    await server.write(rest);
    await Promise.race([
      client.readable.pipeTo(server.writable, { preventClose: true }),
      server.readable.pipeTo(client.writable, { preventClose: true }),
    ]).catch(() => {});
    open.delete(server);
  };

  const serve = async (client: Deno.Conn) => {
    open.add(client);
    const decoder = new TextDecoder("latin1");
    let bytes = new Uint8Array(0);
    try {
      for (const part = new Uint8Array(16_384);;) {
        const length = await client.read(part);
        if (length === null) return;
        bytes = Uint8Array.from([...bytes, ...part.subarray(0, length)]);
        const end = decoder.decode(bytes).indexOf(HEAD_END);
        if (end < 0) continue;
        const size = end + HEAD_END.length;
        return await answer(client, decoder.decode(bytes.subarray(0, size)), bytes.subarray(size));
      }
    } finally {
      open.delete(client);
      try {
        client.close();
      } catch { /* it has ended */ }
    }
  };
  (async () => {
    for await (const client of listener) serve(client).catch(() => {});
  })().catch(() => {});
  return proxy;
}
