/** How the page of each stream is, and what else is wrong around it: what the watchdogs and helpers report. */
import {
  isTrouble,
  type PageHealth as Health,
  shortSeen,
  type Trouble,
  TROUBLES,
  troubleText,
} from "../../model/page_health.ts";
import type { StreamId } from "../../model/id.ts";
import { isAtRest, type StreamStatus } from "../../model/status.ts";
import type { AddEvent } from "../../model/events.ts";
import type { PageFinding } from "./history.ts";

interface Known {
  /** What the page watchdog found. */
  page: Health | null;
  /** What others reported: what was seen, and since when. */
  reports: Map<Trouble, { seen: string; since: number }>;
}

export interface PageHealthParts {
  addEvent: AddEvent;
  now(): number;
  elapsed(): number;
}

/** Times that are told as the same: looks at them are some milliseconds late. */
const SAME_MS = 1000;

export class PageHealth {
  #parts: PageHealthParts;
  #known = new Map<StreamId, Known>();

  constructor(parts: PageHealthParts) {
    this.#parts = parts;
  }

  /** Takes over what the page watchdog found. */
  find(id: StreamId, finding: PageFinding): void {
    const known = this.#entry(id);
    const before = known.page;
    const isSame = before?.state === finding.state && before.status === finding.status &&
      before.error === finding.error;
    const nextTryAt = this.#stampOf(finding.nextTryAt, before?.nextTryAt ?? null);
    known.page = { ...finding, nextTryAt, since: isSame ? before.since : this.#parts.now() };
    if (!isSame && finding.state !== "opening") this.#tell(id, before, known.page);
  }

  /** Another page is in front, which is as said; what the one before was is over, without a word. */
  changeTo(id: StreamId, finding: PageFinding): void {
    const nextTryAt = this.#stampOf(finding.nextTryAt, null);
    this.#entry(id).page = { ...finding, nextTryAt, since: this.#parts.now() };
  }

  /** Unix ms of a time of the steady clock: as it was told before, unless the clock was set since. */
  #stampOf(at: number | null, before: number | null): number | null {
    if (at === null) return null;
    const stamp = Math.round(this.#parts.now() + at - this.#parts.elapsed());
    return before !== null && Math.abs(stamp - before) < SAME_MS ? before : stamp;
  }

  /**
   * Says what is wrong with a stream, or null for a trouble that is over. It stays until that, or the stream's end.
   * @param seen a few words: what the page said, for instance. They may come from the page: they are cut.
   */
  report(id: StreamId, trouble: Trouble, seen: string | null): void {
    const { reports } = this.#entry(id);
    if (seen === null) {
      if (reports.delete(trouble) && isAround(trouble)) {
        this.#parts.addEvent(id, "program", `It is over: ${TROUBLES[trouble].says}`);
      }
      return;
    }
    const short = shortSeen(seen);
    const before = reports.get(trouble);
    if (before?.seen === short) return;
    reports.set(trouble, { seen: short, since: before?.since ?? this.#parts.now() });
    // of a login its helper tells more
    if (isAround(trouble)) this.#parts.addEvent(id, "program", TROUBLES[trouble].says, "error");
  }

  /** Forgets a stream that stopped, or was started anew. */
  forget(id: StreamId): void {
    this.#known.delete(id);
  }

  /** How the page is, with what was reported of it; undefined while nothing is known. */
  page(id: StreamId): Health | undefined {
    const known = this.#known.get(id);
    if (!known) return undefined;
    const { page, reports } = known;
    if (page && isTrouble(page.state)) return page;
    const reported = [...reports].find(([trouble]) => !isAround(trouble));
    if (!reported) return page ?? undefined;
    const [state, { seen, since }] = reported;
    return { state, status: page?.status ?? null, error: seen || null, since, nextTryAt: null };
  }

  /** Whether the page that is in front cannot be shown, whatever else is wrong around it. */
  isBroken(id: StreamId): boolean {
    const page = this.#known.get(id)?.page;
    return page != null && isTrouble(page.state);
  }

  /** Whether viewers see something else than the page. */
  isBad(id: StreamId): boolean {
    const state = this.page(id)?.state;
    return state !== undefined && isTrouble(state);
  }

  /** The status with what is known of the page: green is for a channel that shows its page. */
  added(id: StreamId, status: StreamStatus): StreamStatus {
    if (isAtRest(status.state) || status.state === "failed") return status;
    const page = this.page(id);
    const shown: StreamStatus = page ? { ...status, page } : status;
    if (status.state === "degraded") return this.#withCause(id, shown);
    const trouble = page && isTrouble(page.state) ? page.state : this.#around(id);
    if (!trouble) return shown;
    const seen = isAround(trouble) ? { status: null, error: null } : page!;
    return { ...shown, state: "degraded", trouble, reason: troubleText(trouble, seen) };
  }

  /** A full disk stops channels, and whoever reads of the programs only would look in the wrong place. */
  #withCause(id: StreamId, status: StreamStatus): StreamStatus {
    const cause = "disk-full";
    if (!this.#known.get(id)?.reports.has(cause)) return status;
    return { ...status, trouble: cause, reason: `${status.reason} ${TROUBLES[cause].says}` };
  }

  #around(id: StreamId): Trouble | undefined {
    return [...this.#known.get(id)?.reports.keys() ?? []].find(isAround);
  }

  #entry(id: StreamId): Known {
    const known = this.#known.get(id) ?? { page: null, reports: new Map() };
    this.#known.set(id, known);
    return known;
  }

  #tell(id: StreamId, before: Health | null, after: Health): void {
    const { addEvent } = this.#parts;
    if (isTrouble(after.state)) {
      const { certificate } = after;
      const whose = certificate
        ? ` It is for ${certificate.subject || "nobody"}, by ${certificate.issuer || "nobody"}.`
        : "";
      addEvent(id, kindOf(after.state), troubleText(after.state, after) + whose, "error");
    } else if (before && isTrouble(before.state)) {
      addEvent(id, "page", `The page is back${withStatus(after)}.`);
    } else if (!before || before.state === "opening") {
      addEvent(id, "page", `The page is open${withStatus(after)}.`);
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

function withStatus({ status }: Health): string {
  return status === null ? "" : ` (status ${status})`;
}
