/** WebSocket ends that do as little as a test wants: raw TCP, no pongs, no close frames, no reading. */
import { streamId } from "../../lib/model/id.ts";
import type { BridgeLimits } from "../../lib/takeover/bridge.ts";
import { DEFAULT_TIMINGS } from "../../lib/timings.ts";
import { type TypeText, VncGateway } from "../../lib/takeover/gateway.ts";
import type { VncProxy } from "../../lib/takeover/proxy.ts";
import { acceptKey } from "../../lib/machine/websocket/handshake.ts";

const text = new TextEncoder();

/** Reads the head of a request or answer; the bytes behind it are lost. */
export async function readHead(conn: Deno.Conn): Promise<string> {
  let head = "";
  const buffer = new Uint8Array(4096);
  while (!head.includes("\r\n\r\n")) {
    const count = await conn.read(buffer);
    if (count === null) return head;
    head += new TextDecoder().decode(buffer.subarray(0, count));
  }
  return head;
}

/** A VNC proxy that shakes hands with the first who comes, then is the test's. */
export class RawProxy {
  #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  #conns: Deno.Conn[] = [];

  get port(): number {
    return this.#listener.addr.port;
  }

  /** @param answer what to say instead of the right answer. */
  async accept(answer?: (key: string) => string): Promise<{ conn: Deno.Conn; head: string }> {
    const conn = await this.#listener.accept();
    this.#conns.push(conn);
    const head = await readHead(conn);
    const key = /^sec-websocket-key: (.*)\r$/im.exec(head)?.[1] ?? "";
    await conn.write(text.encode(
      answer?.(key) ?? "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
          `Sec-WebSocket-Accept: ${acceptKey(key)}\r\n\r\n`,
    ));
    return { conn, head };
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    for (const conn of this.#conns) {
      try {
        conn.close();
      } catch {
        // the test closed it
      }
    }
  }
}

export const TOKEN = "0123456789abcdef0123456789abcdef";

/** A web app with nothing but the takeover, before the VNC proxy on a port, which is ours unless it says that it is not. */
export function serveGateway(
  proxy: number | VncProxy,
  limits: Partial<BridgeLimits> = {},
  type?: TypeText,
) {
  const ours = typeof proxy === "number" ? { port: proxy, isOurs: () => Promise.resolve(true) } : proxy;
  const tokens = { idOf: (token: string) => token === TOKEN ? streamId("a") : undefined, get: () => TOKEN };
  const takeovers: string[] = [];
  const gateway = new VncGateway(tokens, ours, { ...DEFAULT_TIMINGS.vnc, ...limits }, {
    asked: () => {},
    coming: () => Promise.resolve(),
    began: (id, peer) => takeovers.push(`${id}: ${peer} began`),
    ended: (id, peer) => takeovers.push(`${id}: ${peer} ended`),
  }, type);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) =>
      gateway.upgrade(request, request.headers.get("origin") === origin(), () => "peer") ??
        new Response("the app"),
  );
  const { port } = server.addr;
  function origin(): string {
    return `http://127.0.0.1:${port}`;
  }
  return {
    gateway,
    /** What the gateway told of them. */
    takeovers,
    port,
    origin: origin(),
    stop: async () => {
      await gateway.stop();
      await server.shutdown();
    },
  };
}

/** A browser's WebSocket to it. */
export function view(origin: string, protocols: string[] = []): WebSocket {
  const options = { headers: { origin }, protocols };
  const address = `${origin.replace("http", "ws")}/any/path?token=${TOKEN}`;
  // Deno takes headers, which the types of the DOM do not know
  const socket = new WebSocket(address, options as unknown as string[]);
  socket.binaryType = "arraybuffer";
  socket.onerror = (event) => event.preventDefault();
  return socket;
}

/** A viewer that has shaken hands and does nothing more. */
export async function rawView(port: number): Promise<Deno.Conn> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  await conn.write(text.encode(
    `GET /?token=${TOKEN} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\n` +
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  ));
  const head = await readHead(conn);
  if (!head.startsWith("HTTP/1.1 101")) throw new Error(head);
  return conn;
}

/**
 * Ends of connections to these ports of this machine that a program still has; other tests of the process have sockets, too.
 * Source: proc(5), /proc/net/tcp.
 */
export function connectionEnds(...ports: number[]): number {
  const TIME_WAIT = "06", LISTEN = "0A";
  const wanted = new Set(ports);
  const portOf = (address: string) => Number.parseInt(address.split(":")[1], 16);
  return Deno.readTextFileSync("/proc/self/net/tcp").trim().split("\n").slice(1).filter((line) => {
    const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
    const isOpen = state !== TIME_WAIT && state !== LISTEN && inode !== "0";
    return isOpen && (wanted.has(portOf(local)) || wanted.has(portOf(remote)));
  }).length;
}
