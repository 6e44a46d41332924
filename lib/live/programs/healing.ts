/**
 * Heals a stream that does not run well: restarts the program that has the fault, then the display with the programs on
 * it, then the whole stream; with growing pauses, and a limit. Pure: keeper.ts looks and acts.
 */
import type { ProgramKind } from "../../model/programs.ts";
import type { Timings } from "../../timings.ts";
import type { Fault } from "./faults.ts";

/** The memory of a stream's repairs between two rounds. */
export interface Healing {
  /** Times of the tries, by the keeper or by supervisord, since the stream last ran well. */
  tries: number[];
  /** The number of the keeper's steps; decides the next step, and the pause after it. */
  steps: number;
  pausedUntil: number;
  /** Since when all is well; null while it is not. */
  wellSince: number | null;
  gaveUp: GaveUp | null;
}

export interface GaveUp {
  /** The program that was given up. */
  kind: ProgramKind;
  /** The programs that were left down. */
  down: readonly ProgramKind[];
  retryAt: number;
}

export const NEW_HEALING: Readonly<Healing> = {
  tries: [],
  steps: 0,
  pausedUntil: 0,
  wellSince: null,
  gaveUp: null,
};

export type Step =
  | { do: "nothing" }
  /** The programs may save their data; the supervisor starts ended programs again. */
  | { do: "end"; kinds: ProgramKind[]; why: string }
  /** As "end", but programs that do not end are killed, and programs that are down started. */
  | { do: "restart"; kinds: ProgramKind[]; why: string }
  /** At once: the supervisor starts killed programs again. */
  | { do: "kill"; kinds: ProgramKind[]; why: string }
  | { do: "restart-stream"; why: string }
  /** The profile is emptied. */
  | { do: "recreate"; why: string }
  /** The programs stay down. */
  | { do: "give-up"; kinds: ProgramKind[] };

export interface Condition {
  fault: Fault | null;
  /** Every program runs, and there is a fresh picture. */
  isWell: boolean;
  /** Programs that died without a known cause since the last round, and were started again. */
  died: readonly ProgramKind[];
  now: number;
}

/** The display, and all that hangs on it. */
const DISPLAY_AND_WHAT_HANGS_ON_IT: ProgramKind[] = ["display", "wm", "browser", "encoder"];

/** Tries of a stream that was given up, until it is given up again. */
const LAST_TRIES = 3;

type Limits = Timings["healing"];

/** Decides the next step, and the memory after it. */
export function heal(
  { fault, isWell, died, now }: Condition,
  before: Healing,
  limits: Limits,
): { step: Step; healing: Healing } {
  const healing: Healing = {
    ...before,
    tries: before.tries.filter((at) => now - at < limits.triesMs),
  };
  const result = (step: Step, changes: Partial<Healing> = {}) => ({
    step,
    healing: { ...healing, ...changes },
  });
  if (died.length > 0) healing.tries.push(now);
  healing.wellSince = !isWell ? null : died.length > 0 ? now : before.wellSince ?? now;
  if (healing.wellSince !== null && now - healing.wellSince >= limits.recoveredMs) {
    Object.assign(healing, NEW_HEALING, { tries: [], wellSince: healing.wellSince });
  }

  const follow = fault && stepWithoutTry(fault);
  if (follow) return result(follow);

  const isOver = healing.tries.length >= limits.maxTries;
  if (isOver && (died.length > 0 || (fault && !healing.gaveUp))) {
    const kind = died[0] ?? fault!.kinds[0];
    const gaveUp = { kind, down: died, retryAt: now + limits.longestPauseMs };
    return result({ do: "give-up", kinds: [...died] }, { gaveUp });
  }
  if (healing.gaveUp) {
    if (now < healing.gaveUp.retryAt || isWell) return result({ do: "nothing" });
    const { down } = healing.gaveUp;
    const why = "earlier restarts had not helped; this is another try";
    const tries = Array<number>(Math.max(0, limits.maxTries - LAST_TRIES)).fill(now);
    const gaveUp = { ...healing.gaveUp, retryAt: now + limits.longestPauseMs };
    const step: Step = down.length > 0
      ? { do: "restart", kinds: [...down], why }
      : { do: "restart-stream", why };
    return result(step, { tries, gaveUp });
  }
  if (!fault || now < healing.pausedUntil) return result({ do: "nothing" });

  const pauseMs = Math.min(limits.firstPauseMs * 2 ** healing.steps, limits.longestPauseMs);
  return result(stepFor(fault, healing.steps), {
    tries: [...healing.tries, now],
    steps: healing.steps + 1,
    pausedUntil: now + pauseMs,
  });
}

/** A restart that is not a try: a program follows its restarted dependency, or begins anew after it has grown. */
function stepWithoutTry({ type, kinds, why }: Fault): Step | null {
  if (type === "outdated") return { do: "end", kinds, why };
  if (type === "done" || type === "grabbing" || type === "memory") return { do: "restart", kinds, why };
  return type === "profile" ? { do: "recreate", why } : null;
}

function stepFor({ type, kinds, why }: Fault, steps: number): Step {
  // a restart takes another display
  if (type === "taken") return { do: "restart-stream", why };
  if (type === "down") return { do: "restart", kinds, why };
  // a hung program does not react to a request to end
  if (steps === 0) return { do: "kill", kinds, why };
  const still = `${why}, and a restart of it had not helped`;
  const isDisplayTried = kinds.includes("display");
  if (steps === 1 && !isDisplayTried) return { do: "kill", kinds: DISPLAY_AND_WHAT_HANGS_ON_IT, why: still };
  return { do: "restart-stream", why: still };
}

/** How a stream that was given up is described, in the middle of a sentence. */
export function gaveUpText({ maxTries, triesMs }: Limits): string {
  return `gave up after ${maxTries} restarts in ${Math.round(triesMs / 60_000)} minutes; press Restart`;
}

/**
 * Whether the media server is the cause of missing pictures: no stream has a new picture, and several encoders starve,
 * or one encoder whose restart has not helped.
 */
export function isMediaToBlame(
  streams: readonly { fault: Fault | null; isFresh: boolean; steps: number }[],
): boolean {
  const starving = streams.filter(({ fault }) => fault?.type === "starving");
  const isOneNotEnough = starving.length > 1 || starving.some(({ steps }) => steps > 0);
  return isOneNotEnough && streams.every(({ isFresh }) => !isFresh);
}
