/** The findings on a stream's page: of the looks at the page, and of parts that report a trouble. They are its health. */
import {
  isTrouble,
  shortSeen,
  type Trouble,
  TROUBLES,
  troubleText,
} from "../../model/answers/page_health.ts";
import type { PageHealth } from "../../model/answers/shapes.ts";
import type { PageFinding } from "./history.ts";
import type { StartedPage } from "./started_page.ts";

/** The place of a look, and the tries before it. */
interface Tried {
  /** The host and port of the page. */
  host: string;
  /** Tries in a row that failed before this look. */
  failures: number;
}

/** Times this close are reported as the same: looks are some milliseconds late. */
const SAME_MS = 1000;

export class PageFindings {
  #started: Pick<StartedPage, "live" | "ground">;
  /** The finding of the last look. */
  #page: PageHealth | null = null;
  /** The reported troubles: their words, and since when (Unix ms). */
  #reports = new Map<Trouble, { seen: string; since: number }>();

  constructor(started: Pick<StartedPage, "live" | "ground">) {
    this.#started = started;
  }

  /** Takes the finding of a look. @param tried is named in the event as well. */
  find(finding: PageFinding, tried?: Tried): void {
    const before = this.#page;
    const isSame = before?.state === finding.state && before.status === finding.status &&
      before.error === finding.error;
    const nextTryAt = this.#stampOf(finding.nextTryAt, before?.nextTryAt ?? null);
    this.#page = { ...finding, nextTryAt, since: isSame ? before.since : this.#now };
    if (!isSame && finding.state !== "opening") this.#tell(before, this.#page, tried);
  }

  /** Takes the finding of a page that is newly in front, without an event about the page before. */
  changeTo(finding: PageFinding): void {
    const nextTryAt = this.#stampOf(finding.nextTryAt, null);
    this.#page = { ...finding, nextTryAt, since: this.#now };
  }

  /** Unix ms of a time of the steady clock: as it was reported before, unless the clock was set since. */
  #stampOf(at: number | null, before: number | null): number | null {
    if (at === null) return null;
    const stamp = Math.round(this.#now + at - this.#started.ground.machine.elapsed());
    return before !== null && Math.abs(stamp - before) < SAME_MS ? before : stamp;
  }

  /**
   * Reports a trouble of a stream, or the trouble's end. A trouble stays until its end, or the stream's.
   * @param seen a few words, which are cut: they may be the page's own. Null: the trouble is over.
   */
  report(trouble: Trouble, seen: string | null): void {
    if (seen === null) {
      if (this.#reports.delete(trouble) && isAround(trouble)) {
        this.#started.live.tell("program", `This has ended: ${TROUBLES[trouble].says}`);
      }
      return;
    }
    const short = shortSeen(seen);
    const before = this.#reports.get(trouble);
    if (before?.seen === short) return;
    this.#reports.set(trouble, { seen: short, since: before?.since ?? this.#now });
    // the helper reports more about a login
    if (isAround(trouble)) this.#started.live.tell("program", TROUBLES[trouble].says, "error");
  }

  /** The page's health, with the troubles reported of the page; null while nothing is known. */
  get page(): PageHealth | null {
    const page = this.#page;
    const failed = this.#reports.get("login-failed");
    // the usual advice is to set a login, but one is set: the report says why the server refuses it
    if (page?.state === "needs-login" && failed) {
      return { ...page, state: "login-failed", error: failed.seen || null, since: failed.since };
    }
    if (page && isTrouble(page.state)) return page;
    const reported = [...this.#reports].find(([trouble]) => !isAround(trouble));
    if (!reported) return page;
    const [state, { seen, since }] = reported;
    return { state, status: page?.status ?? null, error: seen || null, since, nextTryAt: null };
  }

  /** Whether the page's server wants a user name and a password. */
  get wantsLogin(): boolean {
    return this.#page?.state === "needs-login";
  }

  /** Whether the page that is in front cannot be shown, whatever else is wrong around it. */
  get isBroken(): boolean {
    return this.#page !== null && isTrouble(this.#page.state);
  }

  /** Whether the page is broken: viewers then see the stream's choice for that. */
  get isBad(): boolean {
    const { page } = this;
    return page !== null && isTrouble(page.state);
  }

  /** The trouble around the page. */
  get around(): Trouble | undefined {
    return [...this.#reports.keys()].find(isAround);
  }

  get isDiskFull(): boolean {
    return this.#reports.has("disk-full");
  }

  /** Unix ms. */
  get #now(): number {
    return this.#started.ground.machine.now();
  }

  #tell(before: PageHealth | null, after: PageHealth, tried?: Tried): void {
    const { live } = this.#started;
    if (isTrouble(after.state)) {
      const { certificate } = after;
      const whose = certificate
        ? ` It was issued to ${certificate.subject || "nobody"} by ${certificate.issuer || "nobody"}.`
        : "";
      const text = troubleText(after.state, after);
      live.tell(kindOf(after.state), text + whose + whereText(text, after, tried), "error");
    } else if (before && isTrouble(before.state)) {
      const tries = tried && tried.failures > 1 ? ` after ${tried.failures} tries` : "";
      live.tell("page", `The page is back${withStatus(after)}${tries}.`);
    } else if (!before || before.state === "opening") {
      live.tell("page", `The page is open${withStatus(after)}.`);
    }
  }
}

function isAround(trouble: Trouble): boolean {
  return TROUBLES[trouble].isAround ?? false;
}

function kindOf(trouble: Trouble) {
  if (trouble.startsWith("certificate-")) return "certificate";
  return trouble.startsWith("login-") ? "login" : "page";
}

/** " Host grafana.local:3000, ERR_CONNECTION_REFUSED."; the code only where the sentence does not have it. */
function whereText(text: string, { state, error }: PageHealth, tried?: Tried): string {
  const code = error !== null && /^[A-Z][A-Z0-9_]+$/.test(error) && !text.includes(error) ? [error] : [];
  // it is the site's
  if (state === "other-site") return "";
  const host = tried && tried.host !== "" ? [`Host ${tried.host}`] : [];
  return host.length > 0 ? ` ${[...host, ...code].join(", ")}.` : "";
}

function withStatus({ status }: PageHealth): string {
  return status === null ? "" : ` (status ${status})`;
}
