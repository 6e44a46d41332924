/** Control of supervisord, only by its own tool. */
import { ProcessError, type Runner } from "../os/process.ts";
import { Gathering } from "../tools/concurrency.ts";

const SUPERVISORCTL = "/usr/bin/supervisorctl";

/** Milliseconds for one call: the slowest program may take its stopwaitsecs (6 s), the tool itself 0.5 s. */
const TIMEOUT_MS = 30_000;

/** Answers that mean that the program is in the wanted state, or soon will be. */
const HARMLESS = {
  start: /\((already started|spawn error|abnormal termination)\)/,
  restart: /\((not running|already started|spawn error|abnormal termination)\)/,
  stop: /\((not running|no such process|no such group)\)/,
  update: /\(no such (process|group)\)/,
  signal: /\((not running|no such process)\)/,
};
type Action = keyof typeof HARMLESS;

/** A line that reports a problem: "name: ERROR (…)", "error: <class …>", "unix:///… refused connection". */
const PROBLEM_LINE = /: ERROR \(|^error:|^unix:\/\//;

export class Supervisor {
  #run: Runner;
  #config: string;
  #forgetting = new Gathering<string[]>((groups) => this.update(groups.flat()));

  constructor(run: Runner, config: string) {
    this.#run = run;
    this.#config = config;
  }

  /** Takes up added, changed and removed files of just these groups; no other program is touched. */
  async update(groups: string[]): Promise<void> {
    await this.#control("update", groups);
  }

  /**
   * Makes supervisord forget groups whose files are gone. Requests that come while the tool runs share one call, which takes
   * a quarter of a second for any number of groups.
   */
  async forget(groups: string[]): Promise<void> {
    await this.#forgetting.run(groups);
  }

  /** Starts programs that are not running; `group:*` starts a group's programs side by side. */
  async start(names: string[]): Promise<void> {
    if (names.length > 0) await this.#control("start", names);
  }

  /** As `start`, all side by side. @throws {ProcessError} when one does not start, after the others have started. */
  async startEach(names: string[]): Promise<void> {
    const starts = await Promise.allSettled(names.map((name) => this.start([name])));
    const failed = starts.find(({ status }) => status === "rejected");
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  /** Stops programs one after the other; `group:*` stops a group's side by side. */
  async stop(names: string[]): Promise<void> {
    if (names.length > 0) await this.#control("stop", names);
  }

  async restart(names: string[]): Promise<void> {
    if (names.length > 0) await this.#control("restart", names);
  }

  /** Asks programs to end; supervisord then starts them again, side by side; `restart` takes one after the other. */
  async end(names: string[]): Promise<void> {
    if (names.length > 0) await this.#control("signal", ["TERM", ...names]);
  }

  /** Ends programs at once that react to no other signal; supervisord then starts them again. */
  async kill(names: string[]): Promise<void> {
    if (names.length > 0) await this.#control("signal", ["KILL", ...names]);
  }

  #argv(args: string[]): string[] {
    return [SUPERVISORCTL, "-c", this.#config, ...args];
  }

  /**
   * supervisorctl reports problems on stdout, some with code 0.
   * A program that is already started, not running or unknown to `stop` is in the wanted state. A program that dies
   * within its startsecs is started again; its stream's state says so.
   */
  async #control(action: Action, names: string[]): Promise<void> {
    const { code, stdout, stderr } = await this.#run(this.#argv([action, ...names]), {
      timeoutMs: TIMEOUT_MS,
    });
    const problems = stdout.split("\n").filter((line) =>
      PROBLEM_LINE.test(line) && !HARMLESS[action].test(line)
    );
    if (problems.length > 0) throw new ProcessError(`supervisorctl ${action}: ${problems.join("; ")}`);
    const hasAnswered = stdout.trim() !== "" || code === 0;
    if (!hasAnswered) throw new ProcessError(`supervisorctl ${action} failed (${code}): ${stderr.trim()}`);
  }
}
