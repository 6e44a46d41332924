/** Ports in use, and by which program. */

/** Somebody who listens on a TCP port. */
export interface Listener {
  /** As text for IPv4; the kernel's hexadecimal digits for IPv6. */
  address: string;
  uid: number;
  /** Of the socket. */
  inode: string;
}

const LISTEN = "0A";

/** The listeners of one of the kernel's tables. Source: proc_net(5) and Documentation/networking/proc_net_tcp.rst. */
export function parseListeners(table: string, port: number): Listener[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return table.split("\n").slice(1).flatMap((line) => {
    const columns = line.trim().split(/\s+/);
    const [address, itsPort] = columns[1]?.split(":") ?? [];
    if (itsPort !== wanted || columns[3] !== LISTEN) return [];
    return [{ address: addressText(address), uid: Number(columns[7]), inode: columns[9] }];
  });
}

/** The kernel writes an IPv4 address as a number of the machine's own, little-endian, byte order. */
function addressText(hex: string): string {
  return hex.length === 8 ? hex.match(/../g)!.reverse().map((byte) => parseInt(byte, 16)).join(".") : hex;
}

/** Who listens on a TCP port, on whatever address. */
export async function listenersOn(port: number): Promise<Listener[]> {
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"];
  const texts = await Promise.all(tables.map((table) => Deno.readTextFile(table).catch(() => "")));
  return texts.flatMap((text) => parseListeners(text, port));
}

/** How many have connected to a unix socket, and still are. Source: proc_net(5). */
export async function clientsOf(path: string): Promise<number> {
  const CONNECTED = "03";
  const table = await Deno.readTextFile("/proc/net/unix").catch(() => "");
  return table.split("\n").filter((line) => {
    const columns = line.trim().split(/\s+/);
    return columns[5] === CONNECTED && columns[7] === path;
  }).length;
}

/** Whether a process has the socket; null where its descriptors are not ours to see. */
export async function hasSocket(pid: number | string, inode: string): Promise<boolean | null> {
  try {
    for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
      const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
      if (target === `socket:[${inode}]`) return true;
    }
    return false;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? false : null;
  }
}

/** The program that listens on a TCP port, such as "nginx (pid 812)"; null when /proc does not show it. */
export async function portOwner(port: number): Promise<string | null> {
  for (const { inode } of await listenersOn(port)) {
    for (const { name: pid } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(pid) || !await hasSocket(pid, inode)) continue;
      const name = await Deno.readTextFile(`/proc/${pid}/comm`).catch(() => "");
      return `${name.trim()} (pid ${pid})`;
    }
  }
  return null;
}

export interface PortClaim {
  /** The environment variable that chooses this port. */
  variable: string;
  hostname: string;
  port: number;
}

/** What keeps the claimed ports from being ours, one line each: variable, port and owner. */
export async function portProblems(claims: PortClaim[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { variable, hostname, port } of claims) {
    try {
      Deno.listen({ hostname, port }).close();
    } catch (error) {
      if (error instanceof Deno.errors.AddrInUse) {
        const owner = await portOwner(port) ?? "another user's program";
        problems.push(
          `Port ${port} is taken by ${owner}. Stop it, or choose another port: ${variable}=${port + 1}`,
        );
      } else {
        const reason = error instanceof Error ? error.message : String(error);
        problems.push(`Cannot listen on ${hostname}:${port} (${variable}): ${reason}`);
      }
    }
  }
  return problems;
}
