/**
 * Hands an X server a file, which Deno's sockets cannot: by libc, on a connection of its own. The server's segment
 * has an id for every connection, and is gone with this connection. No call holds the event loop up.
 */
import { SHM } from "./extensions.ts";
import {
  ERROR,
  errorOf,
  greeting,
  GREETING_HEAD,
  greetingLength,
  MESSAGE_BYTES,
  messageHead,
  parseGreeting,
  REPLY,
  request,
} from "./messages.ts";

const SYMBOLS = {
  close: { parameters: ["i32"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32", nonblocking: true },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize", nonblocking: true },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize", nonblocking: true },
  sendmsg: { parameters: ["i32", "buffer", "i32"], result: "isize", nonblocking: true },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
} as const;

/** Source: bits/socket.h, asm-generic/socket.h */
const [AF_UNIX, SOCK_STREAM, SOCK_CLOEXEC] = [1, 1, 0o2_000_000];
const [SOL_SOCKET, SO_RCVTIMEO, SO_SNDTIMEO, SCM_RIGHTS] = [1, 20, 21, 1];
const [MSG_WAITALL, MSG_NOSIGNAL] = [0x100, 0x4000];

/** Bytes of a greeting, and number of messages before an answer, at most. */
const [MAX_GREETING, MAX_MESSAGES] = [64 * 1024, 100];

/** A segment of memory that an X server writes to. */
export interface Segment extends Disposable {
  /** The server's id of the segment, for requests on any connection. */
  id: number;
}

/**
 * Has an X server attach a file of memory. @param limitMs for each answer of the server.
 * @throws {Error} when it refuses, or does not answer.
 */
export async function attachFile(
  path: string,
  cookie: Uint8Array,
  file: number,
  limitMs: number,
): Promise<Segment> {
  const socket = new LibcSocket(limitMs);
  try {
    await socket.connect(path);
    await socket.send(greeting(cookie));
    const length = greetingLength(await socket.take(GREETING_HEAD));
    if (length > MAX_GREETING) throw new Error("the display said too much");
    const id = parseGreeting(await socket.take(length)).firstId + 1;
    const QUERY_EXTENSION = 98, GET_INPUT_FOCUS = 43;
    const name = new TextEncoder().encode(SHM.name);
    await socket.send(request(QUERY_EXTENSION, 0, [name.length], name));
    const extension = await answer(socket);
    if (extension.getUint8(8) === 0) throw new Error(`the display has no ${SHM.name}`);
    const opcode = extension.getUint8(9);
    await socket.send(SHM.queryVersion(opcode));
    const version = await answer(socket);
    const [major, minor] = [version.getUint16(8, true), version.getUint16(10, true)];
    if (major === 1 && minor < 2) throw new Error(`the display's ${SHM.name} takes no files`);
    await socket.sendFile(SHM.attachFile(opcode, id), file);
    await socket.send(request(GET_INPUT_FOCUS, 0, []));
    await answer(socket);
    return { id, [Symbol.dispose]: () => socket[Symbol.dispose]() };
  } catch (error) {
    socket[Symbol.dispose]();
    throw error;
  }
}

/** The next answer; events are passed over. @throws {Error} the server's error; when it does not answer in time. */
async function answer(socket: LibcSocket): Promise<DataView> {
  const until = performance.now() + socket.limitMs;
  for (let count = 0; count < MAX_MESSAGES && performance.now() < until; count++) {
    const message = await socket.take(MESSAGE_BYTES);
    const { code, more } = messageHead(message);
    if (code === ERROR) throw errorOf(message);
    if (more > 0) throw new Error("the display answered too much");
    if (code === REPLY) return message;
  }
  throw new Error("the display does not answer");
}

class LibcSocket implements Disposable {
  #library = Deno.dlopen("libc.so.6", SYMBOLS);
  #socket: number;
  /** For each call. */
  readonly limitMs: number;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
    const { symbols } = this.#library;
    this.#socket = symbols.socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const limit = BigInt64Array.of(BigInt(Math.floor(limitMs / 1000)), BigInt(limitMs % 1000 * 1000));
    for (const option of [SO_RCVTIMEO, SO_SNDTIMEO]) {
      symbols.setsockopt(this.#socket, SOL_SOCKET, option, limit, limit.byteLength);
    }
  }

  /** @throws {Error} */
  async connect(path: string): Promise<void> {
    const name = new TextEncoder().encode(path);
    const MAX_PATH = 107;
    if (name.length > MAX_PATH) throw new Error("a socket's path is too long");
    const address = new Uint8Array(2 + MAX_PATH + 1); // the family in 16 bits, then the path
    address[0] = AF_UNIX;
    address.set(name, 2);
    const code = await this.#library.symbols.connect(this.#socket, address, address.length);
    // this use keeps the address alive until the call has read it
    if (code !== 0 || address[0] !== AF_UNIX) throw new Error("no display");
  }

  async send(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { symbols } = this.#library;
    const sent = await symbols.send(this.#socket, bytes, BigInt(bytes.length), MSG_NOSIGNAL);
    // the bytes fit into the socket's empty buffer
    if (Number(sent) !== bytes.length) throw new Error("the display takes nothing");
  }

  /** Sends bytes, and a file with them. Source: cmsg(3), sendmsg(2) */
  async sendFile(bytes: Uint8Array<ArrayBuffer>, file: number): Promise<void> {
    const pointer = (buffer: Uint8Array<ArrayBuffer>) =>
      BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(buffer)));
    const [HEAD, SPACE] = [16, 24];
    const control = new Uint8Array(SPACE);
    const about = new DataView(control.buffer);
    about.setBigUint64(0, BigInt(HEAD + 4), true);
    about.setInt32(8, SOL_SOCKET, true);
    about.setInt32(12, SCM_RIGHTS, true);
    about.setInt32(HEAD, file, true);
    const vector = new Uint8Array(BigUint64Array.of(pointer(bytes), BigInt(bytes.length)).buffer);
    const message = new Uint8Array(
      BigUint64Array.of(0n, 0n, pointer(vector), 1n, pointer(control), BigInt(SPACE), 0n).buffer,
    );
    const sent = await this.#library.symbols.sendmsg(this.#socket, message, MSG_NOSIGNAL);
    // this use keeps the three buffers alive until the call has read them
    if (Number(sent) !== bytes.length || control.length + vector.length === 0) {
      throw new Error("the display takes no file");
    }
  }

  async take(count: number): Promise<DataView<ArrayBuffer>> {
    const bytes = new Uint8Array(count);
    // in one call: each byte of a slow server would have its own time, and one of Deno's few threads for it
    const read = Number(
      await this.#library.symbols.recv(this.#socket, bytes, BigInt(count), MSG_WAITALL),
    );
    if (read === 0) throw new Error("the display closed the connection");
    if (read < count) throw new Error("the display does not answer");
    return new DataView(bytes.buffer);
  }

  [Symbol.dispose](): void {
    if (this.#socket < 0) return;
    this.#library.symbols.close(this.#socket);
    this.#socket = -1;
    this.#library.close();
  }
}
