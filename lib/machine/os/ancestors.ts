/** The chain of processes that started us, as `npx` -> `node` -> `deno task` -> us. */
import { processEntry } from "./process_table.ts";

/** The pid of the parent; 0: the process has ended. */
function parentOf(pid: number): number {
  return processEntry(pid)?.parent ?? 0;
}

/** The kind of a process in the chain `npm exec` -> `sh -c` -> `node …/deno` -> `deno task`, by its command line. */
function launcherKind(pid: number): "node" | "deno" | "sh" | null {
  try {
    const words = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
    if (!/\btask\b/.test(words.join(" "))) return null;
    const program = words[0].split(" ")[0].split("/").at(-1);
    if (program === "npm" || program === "npx" || program === "node") return "node";
    if (program === "deno") return "deno";
    return program === "sh" ? "sh" : null;
  } catch {
    return null;
  }
}

/**
 * Remembers the launchers above us (`npx … deno task start`); the returned function says whether all still live. npx's
 * node does not pass SIGTERM on: when a launcher is gone, its end was meant for us. A shell counts only below npx: a
 * shell that started us in the background may well end before us.
 */
export function ancestorsAlive(): () => boolean {
  const links: { pid: number; parent: number; kind: string }[] = [];
  for (let pid = Deno.pid, parent = Deno.ppid; parent > 1; pid = parent, parent = parentOf(pid)) {
    const kind = launcherKind(parent);
    if (kind === null) break;
    links.push({ pid, parent, kind });
  }
  const top = links.findLastIndex(({ kind }) => kind === "node");
  const chain = top >= 0 ? links.slice(0, top + 1) : links.slice(0, 1).filter(({ kind }) => kind === "deno");
  return () => chain.every(({ pid, parent }) => parentOf(pid) === parent);
}
