/** Control of supervisord, only by its own tool. */
import { ProcessError, type Runner } from "../system/process.ts";

const SUPERVISORCTL = "/usr/bin/supervisorctl";

/** Milliseconds for one call: the slowest program may take its stopwaitsecs (6 s), the tool itself 0.5 s. */
const TIMEOUT = 30_000;

const HARMLESS = /already started|not running|no such (process|group)|spawn error|abnormal termination/i;

export class Supervisor {
  #run: Runner;
  #config: string;

  constructor(run: Runner, config: string) {
    this.#run = run;
    this.#config = config;
  }

  /** Takes up added, changed and removed files of just these groups; no other program is touched. */
  async update(groups: string[], signal?: AbortSignal): Promise<void> {
    await this.#control(["update", ...groups], signal);
  }

  /** Starts programs that are not running; `group:*` starts a group's programs side by side. */
  async start(names: string[], signal?: AbortSignal): Promise<void> {
    if (names.length > 0) await this.#control(["start", ...names], signal);
  }

  async stop(names: string[], signal?: AbortSignal): Promise<void> {
    if (names.length > 0) await this.#control(["stop", ...names], signal);
  }

  async restart(names: string[], signal?: AbortSignal): Promise<void> {
    if (names.length > 0) await this.#control(["restart", ...names], signal);
  }

  /** Stops all programs side by side; `shutdown` alone stops one group after another. */
  async stopAll(timeout: number): Promise<void> {
    await this.#run(this.#argv(["stop", "all"]), { timeout });
  }

  #argv(args: string[]): string[] {
    return [SUPERVISORCTL, "-c", this.#config, ...args];
  }

  /**
   * supervisorctl tells its troubles on stdout, some with code 0.
   * A program that is already started, not running or unknown to `stop` is where we want it. One that dies within its
   * startsecs is being tried again; its stream's state says so.
   */
  async #control(args: string[], signal?: AbortSignal): Promise<void> {
    const { code, stdout, stderr } = await this.#run(this.#argv(args), { timeout: TIMEOUT, signal });
    const troubles = stdout.split("\n").filter((line) => /\bERROR\b/i.test(line) && !HARMLESS.test(line));
    if (troubles.length > 0) throw new ProcessError(`supervisorctl ${args[0]}: ${troubles.join("; ")}`);
    const answered = stdout.trim() !== "" || code === 0;
    if (!answered) throw new ProcessError(`supervisorctl ${args[0]} failed (${code}): ${stderr.trim()}`);
  }
}
