/**
 * What the sign-in helpers report, read from their logs: a helper runs as its stream's user, so this is a text that is
 * looked at, and nothing of it is believed but what has the form of a report.
 */
import { join } from "node:path";
import { type LoginReport, parseReport } from "../../devtools/login_report.ts";
import { MAX_TRIES } from "../../devtools/login_tries.ts";
import type { StreamId } from "../../model/id.ts";
import { shownText } from "../../model/log_text.ts";
import { errorText, log } from "../../system/log.ts";
import type { Part } from "../../system/part.ts";
import { openRegular, readRange } from "../../system/regular_file.ts";
import { Loop } from "../../system/time.ts";
import type { AddEvent } from "../../model/events.ts";

/** Bytes of a log that are read at once: some hundred reports. */
const MAX_BYTES = 32 * 1024;

/** Events of one round: a helper has one at a time. */
const MAX_EVENTS = 10;

export interface LoginState extends LoginReport {
  /** Unix ms: when it was read. */
  since: number;
}

export interface HelperReportsParts {
  logsDir: string;
  /** The streams that run and want to be logged in. */
  streams(): readonly { id: StreamId; startedAt: number }[];
  add: AddEvent;
  /** Hears of each page that shows its login form instead of itself. */
  isLoggedOut?(id: StreamId): void;
  /** Hears of each login that was done. */
  hasLoggedIn?(id: StreamId): void;
  limits: { helperReportMs: number };
  now(): number;
  elapsed(): number;
}

interface Reader {
  startedAt: number;
  inode: number;
  offset: number;
  state: LoginState | null;
}

/** A report as a sentence, or null where it says nothing new. */
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

export class HelperReports implements Part {
  #parts: HelperReportsParts;
  #readers = new Map<StreamId, Reader>();
  #loop = new Loop("reports not read");
  /** What was reported before is known, and no news. */
  #startedAt: number;

  constructor(parts: HelperReportsParts) {
    this.#parts = parts;
    this.#startedAt = parts.elapsed();
  }

  start(): void {
    this.#loop.start(this.#parts.limits.helperReportMs, () => this.round());
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** What is known of a running stream's login; undefined where there is none, or nothing was seen yet. */
  login(id: StreamId): LoginState | undefined {
    const state = this.#readers.get(id)?.state;
    return state && state.login !== "watching" ? state : undefined;
  }

  /** Whether the page shows what it has to, as far as a login is concerned. */
  isLoggedIn(id: StreamId): boolean {
    const login = this.login(id)?.login;
    return login !== "asking" && login !== "expired" && login !== "failed";
  }

  /** Reads on in every log. */
  async round(): Promise<void> {
    const streams = this.#parts.streams();
    const ids = new Set(streams.map(({ id }) => id));
    for (const id of this.#readers.keys()) if (!ids.has(id)) this.#readers.delete(id);
    for (const { id, startedAt } of streams) {
      await this.#read(id, startedAt).catch((error) =>
        log("debug", "reports not read", { stream: id, error: errorText(error) })
      );
    }
  }

  async #read(id: StreamId, startedAt: number): Promise<void> {
    const known = this.#readers.get(id);
    const reader = known ?? { startedAt, inode: 0, offset: 0, state: null };
    // a stream that was started again has forgotten its login
    if (reader.startedAt !== startedAt) Object.assign(reader, { startedAt, state: null });
    using file = openRegular(join(this.#parts.logsDir, id, "autologin.log"));
    if (!file) return;
    const { ino, size } = await file.stat();
    // the log of a stream that ran before we did tells its state, but no news
    const isNews = known !== undefined || startedAt >= this.#startedAt;
    const isSame = reader.inode === ino && reader.offset <= size;
    const from = Math.max(isSame ? reader.offset : 0, size - MAX_BYTES);
    const bytes = await readRange(file, from, size);
    const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
    Object.assign(reader, { inode: ino ?? 0, offset: from + whole.length });
    this.#readers.set(id, reader);
    const reports = shownText(whole).split("\n").map(parseReport).filter((one) => one !== null);
    // what stands before the last start is of another run
    const since = known ? 0 : Math.max(0, reports.findLastIndex(({ login }) => login === "watching"));
    for (const report of reports.slice(since).slice(-MAX_EVENTS)) {
      reader.state = { ...report, since: this.#parts.now() };
      const text = reportText(report);
      const level = report.login === "failed" ? (report.isLast ? "error" : "warn") : "info";
      if (text !== null && isNews) this.#parts.add(id, "login", text, level);
    }
    const { login } = reports.at(-1) ?? {};
    if (login === "expired" || login === "failed") this.#parts.isLoggedOut?.(id);
    if (login === "succeeded" && isNews) this.#parts.hasLoggedIn?.(id);
  }
}
