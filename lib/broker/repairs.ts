/** The repairs of `up` after processes hung or died: the web app asks for them, and shows them to people. */

export const REPAIR_REASONS = ["stopped", "silent", "ended"] as const;

export type RepairReason = typeof REPAIR_REASONS[number];

export interface Repair {
  /** Counts up, from 1. */
  number: number;
  /** Milliseconds since the repair. */
  ageMs: number;
  /** The supervisor's name of the program, such as "encoder-clock", or "supervisord". */
  program: string;
  /** Whether the program goes on: only a child of the program was ended, such as a browser's renderer. */
  isPart: boolean;
  reason: RepairReason;
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

  add(program: string, reason: RepairReason, isPart = false): void {
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
      /^(\d{1,15}) (\d{1,15}) ([a-z0-9-]{1,80}) (part|program) (stopped|silent|ended)$/.exec(line) ?? [];
    if (number === undefined) return [];
    const isPart = what === "part";
    return [{ number: Number(number), ageMs: Number(age), program, isPart, reason: reason as RepairReason }];
  });
}
