/** How a TCP or unix connection becomes a WebSocket. Source: RFC 6455, section 4. */
import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { writeAll } from "../tools/write_all.ts";

/** Bytes of HTTP's head. */
const MAX_HEAD_BYTES = 8192;
const READ_BYTES = 4096;
/** Reads of a head: who sends it byte by byte makes us copy it as often. */
const MAX_READS = 64;

const BLANK_LINE = Buffer.from("\r\n\r\n");

export const REFUSAL = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";

/** A server on another machine. */
export interface Remote {
  /** A name, or an address without brackets. */
  hostname: string;
  port: number;
  isTls: boolean;
}

/** Where a client asks, and what for. */
export interface Target {
  /** A port of 127.0.0.1, the path of a unix socket, or another machine. */
  at: number | string | Remote;
  path: string;
  /** The Host header. */
  host: string;
  /** Other headers; none has a line break. */
  headers?: Record<string, string>;
}

/** The Sec-WebSocket-Accept of the answer to a key. Source: RFC 6455, section 4.2.2. */
export function acceptKey(key: string): string {
  return createHash("sha1").update(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
}

/** The server answers, and lets nobody in. */
export class RefusedError extends Error {
  override name = "RefusedError";
  /** @param status of HTTP. */
  constructor(readonly status: number) {
    super(`no upgrade: HTTP ${status}`);
  }
}

/** Asks for a WebSocket. @returns what came behind the answer. @throws {RefusedError | Error} when the server gives none. */
export async function askForWebSocket(
  conn: Deno.Conn,
  { path, host, headers = {} }: Target,
): Promise<Uint8Array> {
  const key = randomBytes(16).toString("base64");
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await say(
    conn,
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n${more}\r\n`,
  );
  const { head, rest } = await readHead(conn);
  checkAnswer(head, key);
  return rest;
}

/**
 * Reads a client's request for `/`. @returns its key, and the bytes after the head. @throws {Error} when it asks for
 * something else.
 */
export async function readRequest(conn: Deno.Conn): Promise<{ key: string; rest: Uint8Array }> {
  const { head, rest } = await readHead(conn);
  const key = /^sec-websocket-key: *([\w+/=]{24}) *$/im.exec(head)?.[1];
  if (!head.startsWith("GET / HTTP/1.1\r\n") || !/^upgrade: *websocket *$/im.test(head) || !key) {
    throw new Error("no WebSocket was asked for");
  }
  return { key, rest };
}

/** The answer that makes a connection a WebSocket. @param key of the client. */
export function welcome(key: string): string {
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
    `Sec-WebSocket-Accept: ${acceptKey(key)}\r\n\r\n`;
}

export function say(conn: Deno.Conn, text: string): Promise<void> {
  return writeAll(conn, new TextEncoder().encode(text));
}

/** @throws {Error} at the end of the connection, or when the head is too long. */
async function readHead(conn: Deno.Conn): Promise<{ head: string; rest: Uint8Array }> {
  let all = Buffer.alloc(0);
  for (let reads = 0; reads < MAX_READS && all.length <= MAX_HEAD_BYTES; reads++) {
    const bytes = new Uint8Array(READ_BYTES);
    const count = await conn.read(bytes);
    if (count === null) throw new Error("closed before its head was there");
    all = Buffer.concat([all, bytes.subarray(0, count)]);
    const end = all.indexOf(BLANK_LINE);
    if (end >= 0) {
      return { head: all.subarray(0, end).toString("latin1"), rest: all.subarray(end + BLANK_LINE.length) };
    }
  }
  throw new Error("a head that is too long");
}

/** @throws {Error} that names the fault in the server's answer to a handshake. */
function checkAnswer(head: string, key: string): void {
  const [status, ...lines] = head.split("\r\n");
  const code = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(status)?.[1]);
  if (!code) throw new Error(`no upgrade: ${status.slice(0, 60)}`);
  if (code !== 101) throw new RefusedError(code);
  const headers = new Map(lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
  if (headers.get("upgrade")?.toLowerCase() !== "websocket") throw new Error("no upgrade to WebSocket");
  const options = headers.get("connection")?.toLowerCase().split(/\s*,\s*/) ?? [];
  if (!options.includes("upgrade")) throw new Error("the connection is not upgraded");
  if (headers.get("sec-websocket-accept") !== acceptKey(key)) throw new Error("a wrong Sec-WebSocket-Accept");
  if (headers.get("sec-websocket-extensions")) throw new Error("an extension nobody asked for");
  if (headers.get("sec-websocket-protocol")) throw new Error("a sub-protocol nobody asked for");
}
