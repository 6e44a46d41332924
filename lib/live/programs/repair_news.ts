/** The repairs of `up`: the web app sees other pids, and gets the reasons here. */
import { GUARDED, isGuard } from "../../machine/broker/guards.ts";
import { isGuardReason, type Repair, type RepairReason } from "../../machine/broker/repairs.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import { SHARED_PROGRAMS, type SharedName, WEB_APP } from "./shared_words.ts";

/** Milliseconds from a repair until the program is seen with another pid. */
const FRESH_MS = 60_000;

/** Reasons for the end of a sentence. */
export const REPAIR_WORDS: Record<RepairReason, string> = {
  stopped: "it was stopped (SIGSTOP)",
  silent: "it did not answer",
  ended: "it had ended",
  removed: "somebody had removed files of this run",
};

export class RepairNews {
  #ask: (after: number) => Promise<Repair[]>;
  #elapsed: () => number;
  #last = 0;
  #fresh: (Repair & { until: number })[] = [];

  constructor(ask: (after: number) => Promise<Repair[]>, elapsed: () => number) {
    this.#ask = ask;
    this.#elapsed = elapsed;
  }

  /** Asks for new repairs. Repairs long before the first call are passed over. */
  async next(): Promise<Repair[]> {
    const found = await this.#ask(this.#last).catch((error) => {
      log("debug", "repairs not known", { error: errorText(error) });
      return [];
    });
    this.#last = Math.max(this.#last, ...found.map(({ number }) => number));
    const now = this.#elapsed();
    const news = found.filter(({ ageMs }) => ageMs < FRESH_MS)
      .map((repair) => ({ ...repair, until: now + FRESH_MS - repair.ageMs }));
    this.#fresh = [...this.#fresh.filter(({ until }) => now < until), ...news];
    return news;
  }

  /** Takes the reason why `up` ended a program; null: `up` did not end it. */
  take(program: string): RepairReason | null {
    const repair = this.#fresh.findLast((one) => one.program === program && !one.isPart);
    this.#fresh = this.#fresh.filter((one) => one !== repair);
    return repair && !isGuardReason(repair.reason) ? repair.reason : null;
  }
}

/**
 * A sentence about a repair that no other pid shows; null for all other repairs.
 * @param word the name of the stream's program for people; null for a program that all streams share.
 */
export function repairText({ program, isPart, reason }: Repair, word: string | null): string | null {
  if (isGuardReason(reason)) {
    if (!isGuard(program)) return null;
    return reason === "undone"
      ? `${GUARDED[program]} had been changed by somebody else, and were put back.`
      : `${
        GUARDED[program]
      } are not as this start has promised, and cannot be put back: no stream starts until ` +
        "they are. The service's log says why.";
  }
  const why = REPAIR_WORDS[reason];
  if (program === "supervisord") {
    return isPart
      ? "The supervisor of all programs was stopped (SIGSTOP), and was continued."
      : `The supervisor of all programs was restarted, with all streams: ${why}.`;
  }
  if (program === "web" && !isPart) return `The web app was restarted: ${why}.`;
  const shared = program === "web" ? WEB_APP : SHARED_PROGRAMS[program as SharedName];
  const whose = word ?? shared?.word ?? program;
  return isPart ? `A process of the ${whose} was ended: ${why}.` : null;
}
