/** The end of a run: its programs end in the order that viewers and pages need, and no program is left. */
import type { Paths } from "../paths.ts";
import { PROGRAM_KINDS, PROGRAMS } from "../model/programs.ts";
import { type RunningProgram, runningPrograms } from "../machine/supervisor/children.ts";
import { kill, killOrphans } from "../machine/os/orphans.ts";
import { allProcesses } from "../machine/os/process_table.ts";
import { sleep } from "../machine/tools/time.ts";

/**
 * A stop must take less than 10 s: all limits together are 8. Chromium takes 0.2 s to save the pages' storage, the web
 * app up to a second to say goodbye.
 */
const FIRST_MS = 3000;
const POLL_MS = 40;
const END_MS = 3500;
const SUPERVISOR_MS = 500;

const WEB = "web";
/** The beginnings of the names of programs that save data at their own signal, and need their display for that. */
const SAVING = [
  ...PROGRAM_KINDS.filter((kind) => PROGRAMS[kind].stopSignal === "INT").map((kind) => `${kind}-`),
  "chromium", // a browser that has replaced its subcommand
];

/**
 * Ends supervisord and all processes of its run, without a request to supervisord, which may be busy or hang.
 * @param ended resolves when supervisord has ended.
 */
export async function endRun(supervisord: number, ended: Promise<void>, paths: Paths): Promise<void> {
  // otherwise it would restart ended programs, and end a display with its browser
  kill(supervisord, "SIGSTOP");
  const isFirst = ({ name }: RunningProgram) =>
    name === WEB || SAVING.some((start) => name.startsWith(start));
  const first = runningPrograms(supervisord).filter(isFirst);
  // the web app tells viewers and the cluster about the end, by way of the front door, before its streams end
  for (const { pid } of first) kill(-pid, "SIGINT");
  for (const end = performance.now() + FIRST_MS; performance.now() < end && areRunning(first);) {
    await sleep(POLL_MS);
  }
  kill(supervisord, "SIGTERM");
  await killOrphans(paths.runDir, END_MS);
  await Promise.race([ended, sleep(SUPERVISOR_MS)]);
}

/**
 * Whether any process of the programs' groups runs: a browser's children still write after its first process has ended.
 * Ended processes stay in the table until supervisord goes on.
 */
function areRunning(programs: readonly RunningProgram[]): boolean {
  const groups = new Set(programs.map(({ pid }) => pid));
  return [...allProcesses().values()].some(({ group, state }) => groups.has(group) && state !== "Z");
}
