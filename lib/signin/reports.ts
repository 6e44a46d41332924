/**
 * Reads the reports of a stream's sign-in helper from the helper's log. The helper runs as its stream's user, so only
 * lines that have the form of a report are believed.
 */
import { type LoginReport, parseReport } from "./report.ts";
import { MAX_TRIES } from "./tries.ts";
import { shownText } from "../model/answers/log_text.ts";
import { openRegular, readRange } from "../machine/os/regular_file.ts";
import type { EventKind, EventLevel } from "../model/answers/events.ts";

/** Bytes of a log that are read at once: some hundred reports. */
const MAX_BYTES = 32 * 1024;

/** Events of one round: a helper has one event at a time. */
const MAX_EVENTS = 10;

export interface LoginState extends LoginReport {
  /** When the report was read, Unix ms. */
  since: number;
}

export interface LoginReportsParts {
  /** The helper's log. */
  path: string;
  tell(kind: EventKind, text: string, level: EventLevel): void;
  now(): number;
  /** A moment of the steady clock: earlier reports are known, and no news. */
  newsSince: number;
}

/** A report as a sentence; null: the report says nothing new. */
export function reportText({ login, seen, tries, isLast }: LoginReport): string | null {
  const because = seen === "" ? "" : `: ${seen}`;
  if (login === "succeeded") return `Logged in${because}.`;
  if (login === "expired") return `The login has expired${because}.`;
  if (login === "failed") {
    return `The login failed (try ${tries} of ${MAX_TRIES})${because}.${
      isLast ? " It is not tried again." : ""
    }`;
  }
  return null;
}

export class LoginReports {
  #parts: LoginReportsParts;
  /** Where the log was read to; null: it was not read yet. */
  #read: { inode: number; offset: number } | null = null;
  /** When the stream of the reports was started. */
  #startedAt: number | null = null;
  #state: LoginState | null = null;

  constructor(parts: LoginReportsParts) {
    this.#parts = parts;
  }

  /** The state of the login; undefined: there is no login, or no report of it yet. */
  get login(): LoginState | undefined {
    return this.#state && this.#state.login !== "watching" ? this.#state : undefined;
  }

  /** Whether the helper has begun its work. */
  get hasBegun(): boolean {
    return this.#state !== null;
  }

  /** Whether no login keeps the page from its own content. */
  get isLoggedIn(): boolean {
    const login = this.login?.login;
    return login !== "asking" && login !== "expired" && login !== "failed";
  }

  /** The stream is not to run, or has no helper that signs in. Lines that were read are no news of the next start. */
  forget(): void {
    this.#state = null;
    this.#startedAt = null;
  }

  /**
   * Reads on in the log. @param startedAt when the stream was started, in ms of the steady clock.
   * @returns "out": the page shows its login form; "in": the helper has signed in on the page; null: neither.
   */
  async next(startedAt: number): Promise<"out" | "in" | null> {
    // a stream that was started again has forgotten its login
    if (this.#startedAt !== startedAt) this.#state = null;
    this.#startedAt = startedAt;
    using file = openRegular(this.#parts.path);
    if (!file) return null;
    const { ino, size } = await file.stat();
    const known = this.#read;
    // the log of a stream that ran before the web app did tells its state, but no news
    const isNews = known !== null || startedAt >= this.#parts.newsSince;
    const isSame = known !== null && known.inode === ino && known.offset <= size;
    const from = Math.max(isSame ? known.offset : 0, size - MAX_BYTES);
    const bytes = await readRange(file, from, size);
    const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
    this.#read = { inode: ino ?? 0, offset: from + whole.length };
    const reports = shownText(whole).split("\n").map(parseReport).filter((one) => one !== null);
    // lines before the last start are of another run
    const since = known ? 0 : Math.max(0, reports.findLastIndex(({ login }) => login === "watching"));
    for (const report of reports.slice(since).slice(-MAX_EVENTS)) this.#take(report, isNews);
    const { login } = reports.at(-1) ?? {};
    if (login === "expired" || login === "failed") return "out";
    return login === "succeeded" && isNews ? "in" : null;
  }

  #take(report: LoginReport, isNews: boolean): void {
    this.#state = { ...report, since: this.#parts.now() };
    const text = reportText(report);
    const level = report.login === "failed" ? (report.isLast ? "error" : "warn") : "info";
    if (text !== null && isNews) this.#parts.tell("login", text, level);
  }
}
