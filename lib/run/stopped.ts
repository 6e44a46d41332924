/** Processes that a signal stopped: no process continues them, and processes that wait for them hang. Pure. */
import { branchOf, type ProcessEntry } from "../machine/os/process_table.ts";

export interface StoppedProcess {
  pid: number;
  /** The child of supervisord that is the process or its ancestor; null: that program has ended. */
  program: number | null;
}

/** The pids in state "T". A process in a debugger is in state "t", and is left alone. */
export function stoppedPids(table: ReadonlyMap<number, ProcessEntry>): Set<number> {
  return new Set([...table].flatMap(([pid, { state }]) => state === "T" ? [pid] : []));
}

/**
 * The stopped processes that are to be ended.
 * @param before pids that were stopped at the last look: a process that is stopped for a moment is left alone.
 * @param isOurs whether a process that does not descend from supervisord is of this run.
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
