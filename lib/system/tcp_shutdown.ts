/** Ending a TCP connection of this process that Deno has no handle for. */

/** An address the way /proc has it: words in the host's byte order. Source: proc_pid_net(5). */
function addressOf(hex: string): string {
  const bytes = hex.match(/.{8}/g)!.flatMap((word) => word.match(/../g)!.reverse());
  if (bytes.length === 4) return bytes.map((byte) => parseInt(byte, 16)).join(".");
  return canonical(bytes.join("").match(/.{4}/g)!.join(":"));
}

/** One spelling for every address; an IPv4 address inside an IPv6 one is the IPv4 address. */
function canonical(address: string): string {
  if (!address.includes(":")) return address;
  const text = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(text);
  if (!mapped) return text;
  const words = mapped.slice(1).map((word) => parseInt(word, 16));
  return words.flatMap((word) => [word >> 8, word & 255]).join(".");
}

/** The inode of the socket between a port of ours and a peer, in the text of /proc/net/tcp or tcp6; or null. */
export function socketInode(table: string, localPort: number, peer: Deno.NetAddr): string | null {
  for (const line of table.split("\n").slice(1)) {
    const [, local, remote, , , , , , , inode] = line.trim().split(/\s+/);
    if (!inode || inode === "0") continue;
    const [, port] = local.split(":");
    const [remoteHex, remotePort] = remote.split(":");
    if (parseInt(port, 16) !== localPort || parseInt(remotePort, 16) !== peer.port) continue;
    if (addressOf(remoteHex) === canonical(peer.hostname)) return inode;
  }
  return null;
}

function fileDescriptor(inode: string): number | null {
  for (const { name } of Deno.readDirSync("/proc/self/fd")) {
    try {
      if (Deno.readLinkSync(`/proc/self/fd/${name}`) === `socket:[${inode}]`) return Number(name);
    } catch {
      // the folder's own descriptor, closed by now
    }
  }
  return null;
}

/**
 * Shuts a connection down, whatever still waits in it; its owner sees the end of the stream and frees it.
 * Returns whether there was one.
 */
export function endConnection(localPort: number, peer: Deno.NetAddr): boolean {
  for (const table of ["/proc/self/net/tcp", "/proc/self/net/tcp6"]) {
    let text = "";
    try {
      text = Deno.readTextFileSync(table);
    } catch {
      continue; // no IPv6 here
    }
    const inode = socketInode(text, localPort, peer);
    const descriptor = inode && fileDescriptor(inode);
    if (!descriptor) continue;
    const SHUT_RDWR = 2;
    const libc = Deno.dlopen("libc.so.6", { shutdown: { parameters: ["i32", "i32"], result: "i32" } });
    try {
      return libc.symbols.shutdown(descriptor, SHUT_RDWR) === 0;
    } finally {
      libc.close();
    }
  }
  return false;
}
