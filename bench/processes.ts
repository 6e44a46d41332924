/** CPU and memory of processes and all their children, from /proc. */

const CLOCK_TICKS = 100; // per second, sysconf(_SC_CLK_TCK) on Linux

function children(): Map<number, number[]> {
  const byParent = new Map<number, number[]>();
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = stat(Number(name))?.parent;
    if (parent !== undefined) byParent.set(parent, [...byParent.get(parent) ?? [], Number(name)]);
  }
  return byParent;
}

function stat(pid: number): { parent: number; ticks: number } | null {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return null;
  }
}

/** A process and all below it. */
export function tree(pid: number, byParent = children()): number[] {
  return [pid, ...(byParent.get(pid) ?? []).flatMap((child) => tree(child, byParent))];
}

function seconds(pid: number): number {
  return tree(pid).reduce((sum, one) => sum + (stat(one)?.ticks ?? 0), 0) / CLOCK_TICKS;
}

/** CPU use of each process tree over `window` ms, in % of one core. */
export async function cpu(pids: Record<string, number>, window: number): Promise<Record<string, number>> {
  const names = Object.keys(pids);
  const before = names.map((name) => seconds(pids[name]));
  const start = performance.now();
  await new Promise((done) => setTimeout(done, window));
  const elapsed = (performance.now() - start) / 1000;
  return Object.fromEntries(
    names.map((name, at) => [name, (seconds(pids[name]) - before[at]) / elapsed * 100]),
  );
}

/** Memory of a process tree, or of these processes, in MiB: RSS, or PSS, which counts what processes share once. */
export function memory(pid: number, kind: "Rss" | "Pss", pids = tree(pid)): number {
  const kib = pids.map((one) => {
    try {
      const text = Deno.readTextFileSync(`/proc/${one}/smaps_rollup`);
      return Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return kib.reduce((sum, value) => sum + value, 0) / 1024;
}
