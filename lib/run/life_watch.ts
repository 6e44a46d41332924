/**
 * The watch of `up`, which is root and the parent of all, over processes that hang: `up` ends every process of the run
 * that was stopped by a signal, and supervisord or the web app when it does not answer. `up` starts the shared programs
 * that supervisord was asked to stop. The web app watches all other programs.
 */
import type { Repairs } from "../machine/broker/repairs.ts";
import { askPrograms, type Program, startProgram } from "../machine/supervisor/status.ts";
import { Liveness } from "../machine/tools/liveness.ts";
import { log } from "../machine/tools/log.ts";
import { isOfRun, kill } from "../machine/os/orphans.ts";
import type { Part } from "../machine/tools/part.ts";
import { answers, httpQuestion } from "../machine/tools/probe.ts";
import { allProcesses, processEntry } from "../machine/os/process_table.ts";
import { Loop } from "../machine/tools/time.ts";
import type { Timings } from "../timings.ts";
import { lastingStops, stoppedPids } from "./stopped.ts";

/** States that supervisord leaves a program in. Source: supervisor/states.py. */
const IDLE: readonly string[] = ["STOPPED", "EXITED", "FATAL"];

export interface LifeWatchParts {
  /** The pid of supervisord. */
  supervisord: number;
  /** The programs that always run. */
  shared: readonly string[];
  paths: { runDir: string; supervisorOwnSocket: string; webSocket: string };
  repairs: Repairs;
  limits: Timings["life"];
}

export class LifeWatch implements Part {
  #parts: LifeWatchParts;
  #stops = new Loop("processes not watched");
  #questions = new Loop("programs not asked");
  #stopped = new Set<number>();
  /** The programs in supervisord's last answer, by their pids. */
  #programs = new Map<number, Program>();
  #supervisord: Liveness;
  #web: Liveness;
  #webPid = 0;
  /** The shared programs that did not run at the last look. */
  #idle = new Set<string>();
  /** Whether we ended the web app. */
  #isEnding = false;
  #isOver = false;

  constructor(parts: LifeWatchParts) {
    this.#parts = parts;
    this.#supervisord = new Liveness(parts.limits);
    this.#web = new Liveness(parts.limits);
  }

  start(): void {
    const { stoppedMs, askMs } = this.#parts.limits;
    this.#stops.start(stoppedMs, () => this.#endStopped());
    this.#questions.start(askMs, () => this.#ask());
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all([this.#stops.stop(), this.#questions.stop()]);
  }

  #endStopped(): void {
    const { supervisord, paths } = this.#parts;
    const table = allProcesses();
    const before = this.#stopped;
    this.#stopped = stoppedPids(table);
    if (this.#stopped.has(supervisord) && before.has(supervisord)) {
      // its end would end all streams; where SIGCONT does not help, it will not answer
      kill(supervisord, "SIGCONT");
      this.#note("supervisord", "stopped", true);
    }
    const stops = lastingStops(table, before, supervisord, (pid) => isOfRun(paths.runDir, pid));
    for (const { pid, program } of stops) {
      if (processEntry(pid)?.state !== "T") continue;
      const isZygote = /--type=zygote(?:[\0 ]|$)/.test(commandLine(pid));
      kill(pid, "SIGKILL");
      if (program === null) continue;
      // a browser without its zygote can start no processes, and does not end by itself
      if (isZygote) kill(program, "SIGKILL");
      this.#isEnding ||= program === this.#webPid;
      this.#note(this.#programs.get(program)?.name ?? "unknown", "stopped", pid !== program && !isZygote);
    }
  }

  async #ask(): Promise<void> {
    const { supervisord, paths, limits } = this.#parts;
    const programs = await askPrograms(paths.supervisorOwnSocket, limits.answerMs).catch(() => null);
    if (this.#isOver) return;
    if (programs) this.#programs = new Map(programs.map((program) => [program.pid, program]));
    if (this.#supervisord.hangs(supervisord, programs !== null, performance.now())) {
      this.#note("supervisord", "silent");
      kill(supervisord, "SIGKILL");
    }
    if (programs) await this.#startIdle(programs);
    const web = programs?.find(({ name }) => name === "web");
    if (!web || web.state !== "RUNNING") return;
    if (this.#webPid > 0 && this.#webPid !== web.pid && !this.#isEnding) {
      this.#parts.repairs.add("web", "ended");
    }
    this.#webPid = web.pid;
    this.#isEnding = false;
    const question = httpQuestion({ transport: "unix", path: paths.webSocket }, "/healthz");
    const hasAnswered = await answers(question, limits.answerMs);
    if (this.#isOver || !this.#web.hangs(web.pid, hasAnswered, performance.now())) return;
    this.#note("web", "silent");
    this.#isEnding = true;
    kill(web.pid, "SIGKILL");
  }

  /** supervisord restarts ended programs, but not stopped ones: a process of the web app's user can ask for a stop. */
  async #startIdle(programs: readonly Program[]): Promise<void> {
    const { shared, paths, limits } = this.#parts;
    const before = this.#idle;
    const idle = programs.filter(({ name, state }) => shared.includes(name) && IDLE.includes(state));
    this.#idle = new Set(idle.map(({ name }) => name));
    for (const name of this.#idle) {
      if (!before.has(name) || this.#isOver) continue;
      log("warn", "program started again: the service had not stopped it", { program: name });
      this.#isEnding ||= name === "web"; // the web app's new pid is not counted as another end
      this.#parts.repairs.add(name, "ended");
      await startProgram(paths.supervisorOwnSocket, name, limits.answerMs).catch(() => {});
    }
  }

  #note(program: string, reason: "stopped" | "silent", isPart = false): void {
    log("warn", "process ended: it hung", { program, reason });
    this.#parts.repairs.add(program, reason, isPart);
  }
}

/** A process's words, with NUL or, where it has written its own, blanks between them; "": the process has ended. */
function commandLine(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`);
  } catch {
    return "";
  }
}
