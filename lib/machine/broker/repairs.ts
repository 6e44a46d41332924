/** The repairs of `up` after processes hung or died: the web app asks for them, and shows them to people. */

/** Why a program was ended. "removed": somebody took away files that it needs. */
export const REPAIR_REASONS = ["stopped", "silent", "ended", "removed"] as const;
export type RepairReason = typeof REPAIR_REASONS[number];

/** What happened to a guard (guards.ts): it was put back, or cannot be. */
export const GUARD_REASONS = ["undone", "lost"] as const;
export type GuardReason = typeof GUARD_REASONS[number];

export function isGuardReason(reason: RepairReason | GuardReason): reason is GuardReason {
  return GUARD_REASONS.some((one) => one === reason);
}

export interface Repair {
  /** Counts up, from 1. */
  number: number;
  /** Milliseconds since the repair. */
  ageMs: number;
  /** The supervisor's name of the program, such as "encoder-clock", or "supervisord"; or the guard's, such as "policies". */
  program: string;
  /** Whether the program goes on: only a child of the program was ended, such as a browser's renderer. */
  isPart: boolean;
  reason: RepairReason | GuardReason;
}

/** Repairs that are remembered: the web app asks each second. */
const MOST = 200;

export class Repairs {
  #list: (Omit<Repair, "ageMs"> & { at: number })[] = [];
  #count = 0;
  #elapsed: () => number;

  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  add(program: string, reason: Repair["reason"], isPart = false): void {
    const repair = { number: ++this.#count, at: this.#elapsed(), program, isPart, reason };
    this.#list = [...this.#list.slice(1 - MOST), repair];
  }

  /** The repairs after a number, the oldest first. */
  after(number: number): Repair[] {
    const now = this.#elapsed();
    return this.#list.filter((repair) => repair.number > number)
      .map(({ at, ...repair }) => ({ ...repair, ageMs: Math.round(now - at) }));
  }
}

/** A line for each repair. */
export function repairLines(repairs: readonly Repair[]): string {
  return repairs.map(({ number, ageMs, program, isPart, reason }) =>
    `${number} ${ageMs} ${program} ${isPart ? "part" : "program"} ${reason}\n`
  ).join("");
}

/** The repairs in lines of `repairLines`; other lines are left out. */
export function parseRepairs(text: string): Repair[] {
  return text.split("\n").flatMap((line) => {
    const [, number, age, program, what, reason] =
      /^(\d{1,15}) (\d{1,15}) ([a-z0-9-]{1,80}) (part|program) (\w{1,20})$/.exec(line) ?? [];
    const known = [...REPAIR_REASONS, ...GUARD_REASONS].find((one) => one === reason);
    if (known === undefined) return [];
    return [{ number: Number(number), ageMs: Number(age), program, isPart: what === "part", reason: known }];
  });
}
