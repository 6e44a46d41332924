/**
 * The user who listens at a unix socket without a file. Any user may take such a name first, and X clients ask there before
 * they ask the
 * socket in /tmp/.X11-unix. Deno neither knows such names nor names the listener; libc does both.
 */
const SYMBOLS = {
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
} as const;

/** Source: bits/socket.h, bits/socket_type.h, asm-generic/socket.h */
const [AF_UNIX, SOCK_STREAM, SOCK_CLOEXEC, SOCK_NONBLOCK] = [1, 1, 0o2_000_000, 0o4_000];
const [SOL_SOCKET, SO_PEERCRED] = [1, 17];
const MAX_NAME = 107;

/**
 * The user that began to listen on an abstract socket. @param name without the NUL that stands before the name.
 * @returns null when there is no listener, or the listener takes no connections now. Source: unix(7).
 */
export function abstractListener(name: string): number | null {
  return withSocket(name, (c, socket, address) => {
    if (c.connect(socket, address, address.length) !== 0) return null;
    const credentials = new Uint8Array(12); // pid, uid and gid
    const length = new Uint8Array(Uint32Array.of(credentials.length).buffer);
    const code = c.getsockopt(socket, SOL_SOCKET, SO_PEERCRED, credentials, length);
    return code === 0 ? new DataView(credentials.buffer).getUint32(4, true) : null;
  });
}

/**
 * Whether anybody has an abstract socket, also one that nobody listens on, or that takes no connections now: nobody else
 * can have it then. It is tried, and given back at once.
 */
export function isAbstractHeld(name: string): boolean {
  return withSocket(name, (c, socket, address) => c.bind(socket, address, address.length) !== 0);
}

type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** @throws {Error} when the name is too long, or this process has no room for a socket. */
function withSocket<Result>(
  name: string,
  work: (c: Libc, socket: number, address: Uint8Array<ArrayBuffer>) => Result,
): Result {
  const bytes = new TextEncoder().encode(name);
  if (bytes.length > MAX_NAME) throw new Error("a socket's name is too long");
  const address = new Uint8Array(2 + 1 + bytes.length); // the family in 16 bits, a NUL, the name
  new DataView(address.buffer).setUint16(0, AF_UNIX, true);
  address.set(bytes, 3);
  const library = Deno.dlopen("libc.so.6", SYMBOLS);
  const { symbols } = library;
  const socket = symbols.socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  try {
    if (socket < 0) throw new Error("there is no room for a socket");
    return work(symbols, socket, address);
  } finally {
    symbols.close(socket);
    library.close();
  }
}
