/** Watches the programs that all streams share, and ends programs that hang: supervisord then starts them again. */
import type { Program } from "../../machine/supervisor/status.ts";
import { Liveness } from "../../machine/tools/liveness.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import type { Question } from "../../machine/tools/probe.ts";
import type { Timings } from "../../timings.ts";
import { REPAIR_WORDS, type RepairNews } from "./repair_news.ts";
import { CAUSE_OF_REPAIR, type RestartCause } from "./restarts.ts";
import { SHARED_NAMES, SHARED_PROGRAMS, type SharedName } from "./shared_words.ts";

export interface SharedProgramsParts {
  /** The questions to a program. */
  questions: Record<SharedName, readonly Question[]>;
  answers(question: Question, limitMs: number): Promise<boolean>;
  kill(name: SharedName): Promise<void>;
  news: Pick<RepairNews, "take">;
  /** Takes a sentence about a restart. */
  tell(text: string): void;
  countRestart(program: SharedName, cause: RestartCause): void;
  limits: Pick<Timings, "probe" | "healing">;
  elapsed: () => number;
}

interface Watched {
  pid: number;
  liveness: Liveness;
  isHung: boolean;
  /** Kills in a row, and when the next kill may be; a program that answers in between begins anew. */
  kills: number;
  pausedUntil: number;
  /** Why the program was killed, until it is seen with another pid. */
  ended: { why: string; cause: RestartCause } | null;
}

export class SharedPrograms {
  #parts: SharedProgramsParts;
  #watched: Record<SharedName, Watched>;
  #dueAt = 0;
  #asking: Promise<unknown> | null = null;

  constructor(parts: SharedProgramsParts) {
    this.#parts = parts;
    const watched = () => ({
      pid: 0,
      liveness: new Liveness(parts.limits.probe),
      isHung: false,
      kills: 0,
      pausedUntil: 0,
      ended: null,
    });
    this.#watched = { media: watched(), "vnc-proxy": watched(), capture: watched(), front: watched() };
  }

  /** Looks at the programs as supervisord reports them; asks them in the background when that is due. */
  round(programs: ReadonlyMap<string, Program>): void {
    const { elapsed, limits } = this.#parts;
    for (const name of SHARED_NAMES) {
      const pid = programs.get(name)?.pid ?? 0;
      this.#compare(name, pid);
      if (this.#watched[name].isHung) this.kill(name, "it did not answer", "hung");
    }
    if (this.#asking || elapsed() < this.#dueAt) return;
    this.#dueAt = elapsed() + limits.probe.everyMs;
    this.#asking = Promise.all(SHARED_NAMES.map((name) => this.#ask(name, programs.get(name)))).finally(() =>
      this.#asking = null
    );
  }

  /** Ends a program, unless that was just tried; returns whether it ends. */
  kill(name: SharedName, why: string, cause: RestartCause): boolean {
    const { elapsed, limits: { healing }, kill } = this.#parts;
    const watched = this.#watched[name];
    if (watched.pid === 0 || elapsed() < watched.pausedUntil) return false;
    const pauseMs = Math.min(healing.firstPauseMs * 2 ** watched.kills, healing.longestPauseMs);
    const ended = { why, cause };
    Object.assign(watched, {
      isHung: false,
      kills: watched.kills + 1,
      pausedUntil: elapsed() + pauseMs,
      ended,
    });
    log("warn", "program killed", { program: name, why });
    kill(name).catch((error) =>
      log("warn", "program not killed", { program: name, error: errorText(error) })
    );
    return true;
  }

  /** Resolves when no question is open. */
  async settled(): Promise<void> {
    await this.#asking;
  }

  #compare(name: SharedName, pid: number): void {
    const { news, tell, countRestart } = this.#parts;
    const watched = this.#watched[name];
    if (pid === 0 || pid === watched.pid) return;
    const isFirst = watched.pid === 0;
    watched.pid = pid;
    watched.isHung = false;
    if (isFirst) return;
    const reason = news.take(name) ?? "ended";
    const { why, cause } = watched.ended ?? { why: REPAIR_WORDS[reason], cause: CAUSE_OF_REPAIR[reason] };
    watched.ended = null;
    tell(`The ${SHARED_PROGRAMS[name].word} was restarted: ${why}.`);
    countRestart(name, cause);
  }

  async #ask(name: SharedName, program: Program | undefined): Promise<void> {
    if (program?.state !== "RUNNING") return;
    const { questions, answers, limits: { probe }, elapsed } = this.#parts;
    const watched = this.#watched[name];
    const all = await Promise.all(questions[name].map((question) => answers(question, probe.answerMs)));
    const hasAnswered = all.every(Boolean);
    watched.isHung = watched.liveness.hangs(program.pid, hasAnswered, elapsed());
    if (hasAnswered && elapsed() >= watched.pausedUntil) watched.kills = 0;
  }
}
