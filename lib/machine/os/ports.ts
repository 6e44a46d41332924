/** Ports in use, and their programs. */
import { isIPv4, isIPv6 } from "node:net";
import { printableName } from "../tools/log.ts";
import { allPids } from "./process_table.ts";

const LISTEN = "0A";

/** The kernel's tables of sockets: IPv4 and IPv6. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

interface Listener {
  /** The address as the kernel writes it: each four bytes backwards, in hexadecimal. */
  address: string;
  uid: number;
  inode: string;
}

/** The sockets that listen on a TCP port, on whatever address. Source: proc_net(5). */
async function listenersOn(port: number, tables = TABLES): Promise<Listener[]> {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  const texts = await Promise.all(tables.map((table) => Deno.readTextFile(table).catch(() => "")));
  // of the thousands of connections hardly one is looked at closely
  return texts.join("\n").split("\n").filter((line) => line.includes(`:${wanted} `))
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[1]?.split(":")[1] === wanted && columns[3] === LISTEN)
    .map((columns) => ({ address: columns[1].split(":")[0], uid: Number(columns[7]), inode: columns[9] }));
}

/** An address as in the kernel's tables; null for a name. Pure. */
function kernelAddress(host: string): string | null {
  if (isIPv4(host)) {
    return host.split(".").reverse().map((byte) => Number(byte).toString(16).padStart(2, "0")).join("")
      .toUpperCase();
  }
  if (!isIPv6(host) || host.includes(".")) return null;
  const [before, after = []] = host.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  const digits = [...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join("");
  return digits.match(/.{8}/g)!.map((word) => word.match(/../g)!.reverse().join("")).join("").toUpperCase();
}

/** Whether the socket that listens at an address is a user's: only such a socket may get a secret. */
export async function isListeningAs(uid: number, hostname: string, port: number): Promise<boolean> {
  const wanted = kernelAddress(hostname);
  const tables = isIPv4(hostname) ? TABLES.slice(0, 1) : TABLES;
  const found = (await listenersOn(port, tables)).filter(({ address }) =>
    wanted === null || address === wanted
  );
  return found.length > 0 && found.every((one) => one.uid === uid);
}

const ESTABLISHED = "01";

/**
 * The user whose program on this machine is connected from an address and port to another port.
 * @returns null when the kernel's tables show no such connection. Source: proc_net(5).
 */
export async function connectionOwner(
  hostname: string,
  port: number,
  toPort: number,
): Promise<number | null> {
  const address = kernelAddress(hostname);
  if (address === null) return null;
  const [from, to] = [port, toPort].map((one) => one.toString(16).toUpperCase().padStart(4, "0"));
  const texts = await Promise.all(TABLES.map((table) => Deno.readTextFile(table).catch(() => "")));
  const found = texts.join("\n").split("\n").filter((line) => line.includes(`${address}:${from} `))
    .map((line) => line.trim().split(/\s+/))
    // a program that speaks IPv4 by a socket of IPv6 has zeros and FFFF before its address
    .find(([, own = "", other = "", state]) =>
      own.endsWith(`${address}:${from}`) && other.endsWith(`:${to}`) && state === ESTABLISHED
    );
  return found === undefined ? null : Number(found[7]);
}

/** Whether what listens on a port of loopback is the service's own: the user's that owns the run directory. */
export async function isListeningAsService(runDir: string, port: number): Promise<boolean> {
  const { uid } = await Deno.lstat(runDir);
  return await isListeningAs(uid!, "127.0.0.1", port);
}

/** Whether all sockets at a UDP port are a user's, and there is one. */
export async function isUdpBoundAs(uid: number, port: number): Promise<boolean> {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  const tables = ["/proc/net/udp", "/proc/net/udp6"];
  const texts = await Promise.all(tables.map((table) => Deno.readTextFile(table).catch(() => "")));
  const owners = texts.join("\n").split("\n").map((line) => line.trim().split(/\s+/))
    .filter(([, address = ""]) => address.endsWith(`:${wanted}`)).map((columns) => Number(columns[7]));
  return owners.length > 0 && owners.every((owner) => owner === uid);
}

/** Whether a process has the socket, as far as we may see its descriptors. */
async function hasSocket(pid: number, inode: string): Promise<boolean> {
  try {
    for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
      const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
      if (target === `socket:[${inode}]`) return true;
    }
  } catch {
    // the process has ended, or is another user's
  }
  return false;
}

/** The program that listens on a TCP port, such as "nginx (pid 812)"; null when /proc does not show it. */
export async function portOwner(port: number): Promise<string | null> {
  for (const { inode } of await listenersOn(port)) {
    for (const pid of allPids()) {
      if (!await hasSocket(pid, inode)) continue;
      const name = await Deno.readTextFile(`/proc/${pid}/comm`).catch(() => "");
      // a process names itself
      return `${printableName(name.replace(/\n$/, ""))} (pid ${pid})`;
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

/** The reasons why claimed ports are not free, one line each: variable, port and owner. */
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
