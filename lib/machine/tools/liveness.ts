/** Whether a process hangs, by its unanswered questions in a row. */

export interface LivenessLimits {
  /** Unanswered questions in a row of a process that hangs. One may be lost in a machine's worst second. */
  misses: number;
  /** Milliseconds that a new process has for its first answer. */
  startMs: number;
}

export class Liveness {
  #limits: LivenessLimits;
  #pid = 0;
  #seenAt = 0;
  #hasAnswered = false;
  #misses = 0;

  constructor(limits: LivenessLimits) {
    this.#limits = limits;
  }

  /** Takes the outcome of a question to a process; says whether the process hangs. A new pid is a new process. */
  hangs(pid: number, hasAnswered: boolean, now: number): boolean {
    if (pid !== this.#pid) {
      this.#pid = pid;
      this.#seenAt = now;
      this.#hasAnswered = false;
      this.#misses = 0;
    }
    this.#hasAnswered ||= hasAnswered;
    this.#misses = hasAnswered ? 0 : this.#misses + 1;
    const isStarting = !this.#hasAnswered && now - this.#seenAt < this.#limits.startMs;
    return !isStarting && this.#misses >= this.#limits.misses;
  }
}
