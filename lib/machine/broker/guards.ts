/**
 * The promises of a start about the streams' surroundings. `up` looks after them: it undoes changes by others, and reports
 * them. While it cannot undo one, no stream starts.
 */
import { Semaphore } from "../tools/concurrency.ts";
import { errorText, log } from "../tools/log.ts";
import type { Part } from "../tools/part.ts";
import { Loop } from "../tools/time.ts";
import type { Repairs } from "./repairs.ts";

/** The guards, with their words for the beginning of a sentence. */
export const GUARDED = {
  "packet-filter": "The kernel's rules for the streams' network",
  policies: "Chromium's policies",
  "without-webrtc": "The files that take WebRTC from pages",
  "memory-limits": "The kernel's limits of the streams' memory",
  users: "The records of the streams' users",
  folders: "The rights of the service's folders",
} as const;

export type GuardName = keyof typeof GUARDED;

export function isGuard(name: string): name is GuardName {
  return Object.hasOwn(GUARDED, name);
}

/** One promise. */
export interface Guard {
  name: GuardName;
  /** Undoes changes by others. @returns whether there were any. @throws {Error} when it cannot. */
  look(): Promise<boolean>;
}

/** Milliseconds between two looks: a change is undone within ten seconds. */
const LOOK_MS = 5000;
/** Milliseconds between two reports of the same change. */
const TOLD_MS = 60_000;

export class GuardWatch implements Part {
  #guards: readonly Guard[];
  #repairs: Repairs;
  #loop = new Loop("the guards could not be checked", "error");
  /** One look at a time: two would both find, and tell, the same. */
  #turn = new Semaphore(1);
  /** The guards that cannot be put back. */
  #lost = new Set<GuardName>();
  /** When it was told that a guard was put back, in ms of the steady clock. */
  #told = new Map<GuardName, number>();
  #elapsed: () => number;

  constructor(guards: readonly Guard[], repairs: Repairs, elapsed: () => number = () => performance.now()) {
    this.#guards = guards;
    this.#repairs = repairs;
    this.#elapsed = elapsed;
  }

  start(): void {
    this.#loop.start(LOOK_MS, () => this.round());
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Looks at all guards. */
  async round(): Promise<void> {
    for (const guard of this.#guards) await this.#look(guard);
  }

  /** For a start: @throws {Error} that names the broken promise, and the reason. */
  async check(): Promise<void> {
    for (const guard of this.#guards) {
      const problem = await this.#look(guard);
      if (problem !== null) throw new Error(`${GUARDED[guard.name]} cannot be put in place: ${problem}`);
    }
  }

  #look(guard: Guard): Promise<string | null> {
    return this.#turn.run(async () => {
      const { name } = guard;
      try {
        if (await guard.look()) this.#putBack(name);
        this.#lost.delete(name);
        return null;
      } catch (error) {
        const problem = errorText(error);
        // once: the next looks find the same
        if (!this.#lost.has(name)) {
          log("error", "a guard cannot be put back", { guard: name, error: problem });
          this.#repairs.add(name, "lost");
        }
        this.#lost.add(name);
        return problem;
      }
    });
  }

  /** Another tool may change the same again and again, so it is reported once a minute. */
  #putBack(name: GuardName): void {
    const now = this.#elapsed();
    if (!this.#lost.has(name) && now - (this.#told.get(name) ?? -Infinity) < TOLD_MS) return;
    this.#told.set(name, now);
    log("warn", "a guard was not as it was set, and was put back", { guard: name });
    this.#repairs.add(name, "undone");
  }
}
