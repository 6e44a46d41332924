/**
 * The bytes that the clients of a port have received and have room for, as their TCP reports. Deno does not know it; the
 * kernel answers every user, by sock_diag(7).
 */
const SYMBOLS = {
  close: { parameters: ["i32"], result: "i32" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
} as const;

/** One connection, from our side. */
export interface ReceiveWindow {
  /** The client's address: its bytes as hexadecimal digits. */
  address: string;
  port: number;
  /** Bytes that have arrived at the client's machine. */
  acknowledged: number;
  /** Bytes more that its machine has room for. */
  window: number;
}

/** Source: bits/socket.h, linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h */
const [AF_INET, AF_INET6, AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG] = [2, 10, 16, 0o2_000_003, 4];
const [SOCK_DIAG_BY_FAMILY, NLMSG_DONE, REQUEST_DUMP] = [20, 3, 0x301];
const [IPPROTO_TCP, ESTABLISHED, INET_DIAG_INFO] = [6, 1 << 1, 2];
const MSG_DONTWAIT = 0x40;
/** `struct nlmsghdr`, `struct inet_diag_req_v2`, `struct inet_diag_msg`. */
const [HEADER_BYTES, REQUEST_BYTES, MESSAGE_BYTES] = [16, 56, 72];
/** In `struct tcp_info`, linux/tcp.h: the window came with Linux 5.4. */
const INFO = { acknowledged: 120, window: 228, bytes: 232 };
/** As much as the kernel gives at once, and more than it ever gives of a port's connections. */
const [PIECE_BYTES, MAX_PIECES] = [32 * 1024, 1000];

/** @throws {Error} when the kernel does not say it. */
export function receiveWindows(port: number): ReceiveWindow[] {
  const library = Deno.dlopen("libc.so.6", SYMBOLS);
  const c = library.symbols;
  const socket = c.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
  try {
    if (socket < 0) throw new Error("the kernel does not say how its connections are");
    const found: ReceiveWindow[] = [];
    const piece = new Uint8Array(PIECE_BYTES);
    for (const family of [AF_INET, AF_INET6]) {
      const request = question(family, port);
      if (c.send(socket, request, BigInt(request.length), 0) < 0) throw new Error("no question was taken");
      let isOver = false;
      for (let pieces = 0; !isOver && pieces < MAX_PIECES; pieces++) {
        // the kernel has each piece at once
        const count = Number(c.recv(socket, piece, BigInt(piece.length), MSG_DONTWAIT));
        if (count <= 0) throw new Error("the kernel's answer has no end");
        isOver = readPiece(new DataView(piece.buffer, 0, count), found);
      }
    }
    return found;
  } finally {
    c.close(socket);
    library.close();
  }
}

/** Asks for the connections that clients have to a port of ours. */
function question(family: number, port: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + REQUEST_BYTES));
  view.setUint32(0, view.byteLength, true);
  view.setUint16(4, SOCK_DIAG_BY_FAMILY, true);
  view.setUint16(6, REQUEST_DUMP, true);
  view.setUint8(16, family);
  view.setUint8(17, IPPROTO_TCP);
  view.setUint8(18, 1 << (INET_DIAG_INFO - 1));
  view.setUint32(20, ESTABLISHED, true);
  view.setUint16(24, port); // in the network's order
  return new Uint8Array(view.buffer);
}

/** Adds what stands in a piece of the answer; true: it was the last. @throws {Error} for an error of the kernel. */
function readPiece(view: DataView<ArrayBuffer>, found: ReceiveWindow[]): boolean {
  for (let at = 0; at + HEADER_BYTES <= view.byteLength;) {
    const [length, type] = [view.getUint32(at, true), view.getUint16(at + 4, true)];
    if (type === NLMSG_DONE) return true;
    if (type !== SOCK_DIAG_BY_FAMILY || length < HEADER_BYTES) {
      throw new Error("the kernel refuses to say it");
    }
    const one = readConnection(view, at + HEADER_BYTES, at + length);
    if (one) found.push(one);
    at += Math.ceil(length / 4) * 4;
  }
  return false;
}

/** Null: an older kernel does not say it. */
function readConnection(view: DataView<ArrayBuffer>, at: number, end: number): ReceiveWindow | null {
  const bytes = view.getUint8(at) === AF_INET ? 4 : 16;
  const address = new Uint8Array(view.buffer, view.byteOffset + at + 24, bytes).toHex();
  const port = view.getUint16(at + 6);
  for (let attribute = at + MESSAGE_BYTES; attribute + 4 <= end;) {
    const [length, type] = [view.getUint16(attribute, true), view.getUint16(attribute + 2, true)];
    const info = attribute + 4;
    if (type === INET_DIAG_INFO && length - 4 >= INFO.bytes) {
      const acknowledged = Number(view.getBigUint64(info + INFO.acknowledged, true));
      return { address, port, acknowledged, window: view.getUint32(info + INFO.window, true) };
    }
    attribute += Math.max(4, Math.ceil(length / 4) * 4);
  }
  return null;
}
