/** The chain of processes that started us, as `npx` -> `node` -> `deno task` -> us. */

function parentOf(pid: number): number {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}

/** Launchers that do not pass a signal on, or not always. */
const LAUNCHERS = /^(deno|node|npm|npx|sh|bash|MainThread)/;

function isLauncher(pid: number): boolean {
  try {
    const words = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
    const comm = Deno.readTextFileSync(`/proc/${pid}/comm`);
    return LAUNCHERS.test(comm) && words.includes("task") || /^npm exec|^npx/.test(words[0]);
  } catch {
    return false;
  }
}

/**
 * Remembers the launchers above us (`npx … deno task start`); the answer says whether all of them still live. npx's
 * node does not pass SIGTERM on: when one of the chain is gone, whoever ended it meant us.
 */
export function ancestorsAlive(): () => boolean {
  const chain: [pid: number, parent: number][] = [];
  for (let pid = Deno.ppid; pid > 1 && isLauncher(pid); pid = parentOf(pid)) chain.push([pid, parentOf(pid)]);
  const below = chain.length > 0 ? [[Deno.pid, Deno.ppid], ...chain.slice(0, -1)] : [];
  return () => below.every(([pid, parent]) => parentOf(pid) === parent);
}
