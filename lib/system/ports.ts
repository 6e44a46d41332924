/** Ports in use, and by which program. */

/** Whether a TCP port of loopback is free. */
export function isPortFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch {
    return false;
  }
}

/** The program that listens on a TCP port, such as "nginx (pid 812)"; null when /proc does not show it. */
export async function portOwner(port: number): Promise<string | null> {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  const sockets = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const text = await Deno.readTextFile(table).catch(() => "");
    for (const line of text.split("\n").slice(1)) {
      const columns = line.trim().split(/\s+/);
      const LISTEN = "0A";
      if (columns[1]?.endsWith(`:${wanted}`) && columns[3] === LISTEN) sockets.add(`socket:[${columns[9]}]`);
    }
  }
  if (sockets.size === 0) return null;
  for (const { name: pid } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      for (const fd of Deno.readDirSync(`/proc/${pid}/fd`)) {
        if (sockets.has(Deno.readLinkSync(`/proc/${pid}/fd/${fd.name}`))) {
          return `${Deno.readTextFileSync(`/proc/${pid}/comm`).trim()} (pid ${pid})`;
        }
      }
    } catch {
      // a process that ended, or another user's
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
