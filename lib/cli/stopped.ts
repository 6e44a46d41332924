/** Which processes were stopped by a signal, and stay so: nothing continues them, and what waits for them hangs. Pure. */
import { branchOf, type ProcessEntry } from "../os/process_table.ts";

export interface StoppedProcess {
  pid: number;
  /** The process of supervisord's that it descends from, or is; null of one whose program has ended. */
  program: number | null;
}

/** The pids in state "T". One that a debugger has is in state "t", and is left to it. */
export function stoppedPids(table: ReadonlyMap<number, ProcessEntry>): Set<number> {
  return new Set([...table].flatMap(([pid, { state }]) => state === "T" ? [pid] : []));
}

/**
 * The stopped processes that are to be ended.
 * @param before those that were stopped at the last look: one that is stopped for a moment is left alone.
 * @param isOurs of one that descends from nobody: whether it is of this run.
 */
export function lastingStops(
  table: ReadonlyMap<number, ProcessEntry>,
  before: ReadonlySet<number>,
  supervisord: number,
  isOurs: (pid: number) => boolean,
): StoppedProcess[] {
  return [...stoppedPids(table)].filter((pid) => before.has(pid) && pid !== supervisord).flatMap((pid) => {
    const program = branchOf(table, pid, supervisord);
    return program !== null || isOurs(pid) ? [{ pid, program }] : [];
  });
}
