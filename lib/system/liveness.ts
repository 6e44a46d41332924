/** Whether a process hangs, by the questions in a row that it left unanswered. */

export interface LivenessLimits {
  /** So many questions in a row without an answer: it hangs. One may be lost in a machine's worst second. */
  misses: number;
  /** A process gets so long, from when it was first seen, to its first answer. */
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

  /** Takes the outcome of a question to a process; says whether it hangs. A new pid is a new process. */
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
