/** An X server that says what a test wants it to say. */
import { greetingLength, messageHead, padded } from "../../lib/display/x11/messages.ts";
import { writeAll } from "../../lib/machine/tools/write_all.ts";

export interface GreetingFields {
  width: number;
  height: number;
  vendor: string;
  depth: number;
  bitsPerPixel: number;
  masks: readonly number[];
  isLeastFirst: boolean;
}

export const GREETING: GreetingFields = {
  width: 64,
  height: 36,
  vendor: "A test",
  depth: 24,
  bitsPerPixel: 32,
  masks: [0xff0000, 0x00ff00, 0x0000ff],
  isLeastFirst: true,
};

const ROOT = 0x123;
const VISUAL = 0x21;
export const FIRST_ID = 0x0040_0000;

/** A server's greeting, with its head. Source: X Window System Protocol, appendix B, "Connection Setup". */
export function greetingBytes(fields: Partial<GreetingFields> = {}): Uint8Array<ArrayBuffer> {
  const { width, height, vendor, depth, bitsPerPixel, masks, isLeastFirst } = { ...GREETING, ...fields };
  const formats = [[1, 1], [depth, bitsPerPixel]];
  const vendorBytes = new TextEncoder().encode(vendor);
  const screen = 8 + 32 + padded(vendorBytes.length) + formats.length * 8;
  // two depths: the first without a visual, the second with the root's
  const bytes = new Uint8Array(screen + 40 + 8 + 8 + 24);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 1);
  view.setUint16(2, 11, true);
  view.setUint16(6, (bytes.length - 8) / 4, true);
  view.setUint32(12, FIRST_ID, true);
  view.setUint32(16, 0x001f_ffff, true);
  view.setUint16(24, vendorBytes.length, true);
  view.setUint8(28, 1);
  view.setUint8(29, formats.length);
  view.setUint8(30, isLeastFirst ? 0 : 1);
  bytes.set(vendorBytes, 40);
  formats.forEach((format, at) => bytes.set(format, 40 + padded(vendorBytes.length) + at * 8));
  view.setUint32(screen, ROOT, true);
  view.setUint16(screen + 20, width, true);
  view.setUint16(screen + 22, height, true);
  view.setUint32(screen + 32, VISUAL, true);
  view.setUint8(screen + 38, depth);
  view.setUint8(screen + 39, 2);
  view.setUint8(screen + 40, 1);
  view.setUint8(screen + 48, depth);
  view.setUint16(screen + 50, 1, true);
  view.setUint32(screen + 56, VISUAL, true);
  masks.forEach((mask, at) => view.setUint32(screen + 64 + at * 4, mask, true));
  return bytes;
}

/** An answer: the byte beside its code, what follows the first 8 bytes, and how many words come behind the 32. */
export function replyBytes(
  sequence: number,
  rest: readonly number[] = [],
  words = 0,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(32 + words * 4);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 1);
  view.setUint16(2, sequence, true);
  view.setUint32(4, words, true);
  bytes.set(rest, 8);
  return bytes;
}

export function errorBytes(
  sequence: number,
  kind: number,
  major: number,
  minor = 0,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  view.setUint8(1, kind);
  view.setUint16(2, sequence, true);
  view.setUint16(8, minor, true);
  view.setUint8(10, major);
  return bytes;
}

export function eventBytes(code: number, sequence = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint16(2, sequence, true);
  bytes[0] = code;
  return bytes;
}

/** A request as it came. */
export interface Received {
  sequence: number;
  major: number;
  minor: number;
  bytes: Uint8Array;
}

/** What is said to a request; "close" ends the connection. */
export type Said = Uint8Array | "close" | undefined;

export interface XServer extends AsyncDisposable {
  path: string;
  received: Received[];
  /** Says something that nobody has asked for, to the client that has asked last. */
  say(bytes: Uint8Array): Promise<void>;
  /** Ends all connections, as a server that dies does. */
  closeClients(): void;
  /** Resolves when the newest client has gone. */
  left: Promise<void>;
}

/**
 * A server on a socket of its own.
 * @param answer what is said to a request. @param options what it greets with; bytes that it writes at once.
 */
export async function startXServer(
  answer: (request: Received) => Said,
  { greeting = greetingBytes(), chunk = Infinity }: { greeting?: Uint8Array; chunk?: number } = {},
): Promise<XServer> {
  const folder = await Deno.makeTempDir({ prefix: "bs-x-" });
  const path = `${folder}/X`;
  const listener = Deno.listen({ transport: "unix", path });
  const received: Received[] = [];
  const connections: Deno.Conn[] = [];
  let lastAsked: Deno.Conn;
  const say = async (to: Deno.Conn, bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += chunk) await writeAll(to, bytes.subarray(at, at + chunk));
  };
  const serve = async (connection: Deno.Conn) => {
    connections.push(connection);
    lastAsked = connection;
    try {
      const head = await readExactly(connection, 12);
      const view = new DataView(head.buffer);
      await readExactly(connection, padded(view.getUint16(6, true)) + padded(view.getUint16(8, true)));
      await say(connection, greeting);
      for (let sequence = 1;; sequence++) {
        const start = await readExactly(connection, 4);
        const length = new DataView(start.buffer).getUint16(2, true) * 4;
        const rest = await readExactly(connection, length - 4);
        const bytes = new Uint8Array([...start, ...rest]);
        const request = { sequence: sequence & 0xffff, major: start[0], minor: start[1], bytes };
        received.push(request);
        lastAsked = connection;
        const said = answer(request);
        if (said === "close") break;
        if (said) await say(connection, said);
      }
    } catch {
      // the client has gone
    }
    try {
      connection.close();
    } catch {
      // we have
    }
  };
  const server: XServer = {
    path,
    received,
    say: (bytes) => say(lastAsked, bytes),
    closeClients() {
      for (const connection of connections) {
        try {
          connection.close();
        } catch {
          // the client has
        }
      }
    },
    left: Promise.resolve(),
    async [Symbol.asyncDispose]() {
      listener.close();
      server.closeClients();
      await accepting;
      await server.left;
      await Deno.remove(folder, { recursive: true });
    },
  };
  const accepting = (async () => {
    for await (const connection of listener) server.left = serve(connection);
  })();
  return server;
}

async function readExactly(from: Deno.Conn, count: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const read = await from.read(bytes.subarray(at));
    if (read === null) throw new Error("the client has gone");
    at += read;
  }
  return bytes;
}

/** One side of a recorded conversation, in hexadecimal. */
/** Splits what a server has said into its greeting and its messages. */
export function splitServer(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [];
  let at = 8 + greetingLength(view);
  parts.push(bytes.subarray(0, at));
  while (at < bytes.length) {
    const { more } = messageHead(new DataView(bytes.buffer, bytes.byteOffset + at, 32));
    parts.push(bytes.subarray(at, at + 32 + more));
    at += 32 + more;
  }
  return parts;
}
