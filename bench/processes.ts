/** CPU and memory of processes and all their children. A process that ends while it is looked at has neither. */
import { childrenOf, cpuSeconds, procFile } from "../tests/support/proc.ts";
import type { TestService } from "../tests/support/service.ts";
import { pause } from "../tests/support/within.ts";

/** What a look gives; `none` for a process that has ended. */
export function looked<Seen>(none: Seen, look: () => Seen): Seen {
  try {
    return look();
  } catch {
    return none;
  }
}

/** A process and all below it. */
export function tree(pid: number): number[] {
  return [pid, ...looked([], () => childrenOf(pid)).flatMap(tree)];
}

function seconds(pid: number): number {
  return tree(pid).reduce((sum, one) => sum + looked(0, () => cpuSeconds(one)), 0);
}

/** CPU use of each process tree over `window` ms, in % of one core. */
export async function cpu(pids: Record<string, number>, window: number): Promise<Record<string, number>> {
  const before = Object.entries(pids).map(([name, pid]) => [name, pid, seconds(pid)] as const);
  const start = performance.now();
  await pause(window);
  const elapsed = (performance.now() - start) / 1000;
  return Object.fromEntries(
    before.map(([name, pid, was]) => [name, (seconds(pid) - was) / elapsed * 100]),
  );
}

/** The pids of those who serve a service's viewers. */
export function serversOf(service: TestService): Record<"web" | "front" | "media", number> {
  const [web, front, media] = [/ serve *$/, /nginx: master.*front\.conf/, /nginx: master.*nginx\.conf/]
    .map((command) => service.processes(command)[0]);
  return { web, front, media };
}

/** Memory of a process tree, or of these processes, in MiB: RSS, or PSS, which counts what processes share once. */
export function memory(pid: number, kind: "Rss" | "Pss", pids = tree(pid)): number {
  const kib = (one: number) =>
    Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, "m").exec(procFile(one, "smaps_rollup"))?.[1] ?? 0);
  return pids.reduce((sum, one) => sum + kib(one), 0) / 1024;
}
