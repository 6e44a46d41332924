/**
 * Shows the pages of a stream one after the other, and those that its plan has on. The next page is opened in a tab behind
 * the one that is shown, before its time; the change itself is under a cover with the picture of before, so that viewers
 * see neither an empty page nor one that is half there. A page that cannot be opened is skipped. While somebody is in the
 * browser by VNC, everything stays.
 */
import type { ProxyLogin } from "../../auth/proxy_login.ts";
import type { BrowserControl, Target } from "../../devtools/client.ts";
import { loadBehind, type LoadedBehind } from "../../devtools/open_behind.ts";
import { untilShown } from "../../devtools/painted.ts";
import { parseFingerprints } from "../../model/certificates.ts";
import type { AddEvent } from "../../model/events.ts";
import type { StreamId } from "../../model/id.ts";
import { problemOfSeen } from "../../model/page_health.ts";
import { parseStatuses } from "../../model/page_sites.ts";
import type { Page } from "../../model/pages.ts";
import type { Stream } from "../../model/schema.ts";
import { type Show, timetableOf } from "../../model/timetable.ts";
import { errorText, log } from "../../system/log.ts";
import type { Part } from "../../system/part.ts";
import { Loop, sleep } from "../../system/time.ts";
import type { Timings } from "../../timings.ts";
import type { ScreenCover } from "../../x11/cover.ts";
import { dueAt, type InFront, inTurn, placeOf } from "./rotation_turns.ts";
import { type Started, StreamEntries } from "../stream_entries.ts";

export interface RotatedStream extends Started {
  display: number;
}

export interface RotationParts {
  /** The streams that run and are wanted to. */
  running(): readonly RotatedStream[];
  stream(id: StreamId): Stream | undefined;
  /** What the stream's plan has on now. */
  show(stream: Stream): Show;
  /** Of plans that name none. */
  timeZone: string;
  isBusy(id: StreamId): boolean;
  /** How many people are in the stream's browser by VNC. */
  viewers(id: StreamId): number;
  /** Whether viewers do not see the page that is in front. */
  isBroken(id: StreamId): boolean;
  browser(id: StreamId): BrowserControl;
  dress(id: StreamId, tab: Target): Promise<void>;
  /** The address that the stream's browser opens for a page. */
  /** What proxies on the way are told. */
  proxyLogin?: ProxyLogin | null;
  pageAddress(page: { id: StreamId; url: string }): string;
  openCover(display: number): Promise<ScreenCover>;
  /** Hears when another page is in front. */
  moved(id: StreamId): void;
  addEvent: AddEvent;
  limits: Timings["rotation"];
  elapsed(): number;
}

interface Turn extends InFront {
  /** Whether the browser was asked which page that is: it may be older than the web app. */
  isKnown: boolean;
  /** The tab that the next page is opened in. */
  ahead: string | null;
  /** Addresses of pages that were skipped, as far as that was told. */
  skipped: Set<string>;
  /** After a round in which no other page could be opened. */
  restsUntil: number;
  work: Promise<void> | null;
  end: AbortController;
}

export class Rotation implements Part {
  #parts: RotationParts;
  #turns = new StreamEntries<RotatedStream, Turn>(
    ({ id }) => this.#newTurn(id),
    (_, { end }) => end.abort(),
  );
  #loop = new Loop("pages not changed");

  constructor(parts: RotationParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(this.#parts.limits.roundMs, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    const works = [...this.#turns].map(([, { work }]) => work);
    this.#turns.clear();
    await Promise.all(works);
  }

  /** The page that is on: the one in front, while it is one of the stream's at all. */
  pageNow(stream: Stream): string {
    const { page } = this.#turns.get(stream.id) ?? {};
    const { pages } = timetableOf(stream, this.#parts.timeZone);
    if (page && placeOf(pages, page) >= 0) return page.url;
    return this.#firstOf(stream).url;
  }

  /** Whether the next page is opened in that tab. */
  isAhead(id: StreamId, tab: string): boolean {
    return this.#turns.get(id)?.ahead === tab;
  }

  /** The stream's browser was started, and has opened a page. */
  opened(id: StreamId): void {
    const turn = this.#turns.get(id);
    if (turn) turn.isKnown = false;
  }

  /** Changes the pages whose time is over. */
  round(): void {
    const { running, stream: streamOf, isBusy } = this.#parts;
    const all = running();
    this.#turns.keep(all.map(({ id }) => id));
    for (const started of all) {
      const stream = streamOf(started.id);
      if (!stream || isBusy(stream.id)) continue;
      const hasOne = stream.morePages === "" && stream.plan === "";
      // one that had more may still show another
      if (hasOne && !this.#turns.get(stream.id)) continue;
      const turn = this.#turns.of(started);
      turn.work ??= this.#take(started, stream, turn)
        .catch((error) => {
          // the browser is being started, say, which is the supervisor's work
          log("debug", "page not changed", { stream: stream.id, error: errorText(error) });
        })
        .finally(() => turn.work = null);
    }
  }

  #newTurn(id: StreamId): Turn {
    const stream = this.#parts.stream(id);
    const page = stream ? this.#firstOf(stream) : { url: "" };
    const idle = { ahead: null, skipped: new Set<string>(), restsUntil: 0, work: null };
    return { page, since: this.#parts.elapsed(), isKnown: false, ...idle, end: new AbortController() };
  }

  /** The page that a stream begins with. */
  #firstOf(stream: Stream): Page {
    return this.#parts.show(stream)[0] ?? timetableOf(stream, this.#parts.timeZone).pages[0];
  }

  async #take(started: RotatedStream, stream: Stream, turn: Turn): Promise<void> {
    const { id } = stream;
    const { show, viewers, isBroken, limits, elapsed } = this.#parts;
    if (!turn.isKnown && !await this.#learn(stream, turn)) return;
    if (viewers(id) > 0) {
      // whoever was there leaves the page its whole time
      turn.since = elapsed();
      return;
    }
    const pages = show(stream);
    const due = dueAt(pages, turn, isBroken(id), elapsed());
    const seconds = pages[placeOf(pages, turn.page)]?.seconds ?? 0;
    const beginsAt = Math.max(due - Math.min(limits.aheadMs, seconds * 500), turn.restsUntil);
    if (elapsed() < beginsAt) return;
    for (const page of inTurn(pages, turn.page)) {
      try {
        const tab = await this.#open(stream, turn, page);
        if (tab) {
          await sleep(Math.max(0, due - elapsed()), turn.end.signal);
          if (this.#isStillNext(id, turn, page)) await this.#putInFront(started, turn, page, tab);
        }
        if (tab || turn.end.signal.aborted) return;
      } finally {
        await this.#closeAhead(id, turn);
      }
    }
    turn.restsUntil = elapsed() + Math.max(seconds, pages[0]?.seconds ?? 0) * 1000;
  }

  /** Asks the browser which page is in front. @returns false while that is none yet. */
  async #learn(stream: Stream, turn: Turn): Promise<boolean> {
    const { browser, pageAddress, timeZone, elapsed } = this.#parts;
    const { id } = stream;
    const [front] = await browser(id).pages();
    if (!front?.url.startsWith("http")) return false;
    const { pages } = timetableOf(stream, timeZone);
    const shown = pages.find(({ url }) => isSameAddress(front.url, pageAddress({ id, url })));
    turn.page = shown ?? this.#firstOf(stream);
    turn.since = elapsed();
    return turn.isKnown = true;
  }

  /** Opens a page behind the one that is shown. @returns its tab; null when it cannot be opened. */
  async #open(stream: Stream, turn: Turn, { url }: Page): Promise<Target | null> {
    const { browser: browserOf, pageAddress, dress, limits, elapsed } = this.#parts;
    const { id } = stream;
    const browser = browserOf(id);
    const tab = await browser.openTab(true);
    turn.ahead = tab.id;
    const loaded = await loadBehind(browser, tab, {
      url: pageAddress({ id, url }),
      login: { ...stream, proxyLogin: this.#parts.proxyLogin },
      accepted: parseFingerprints(stream.acceptedCertificates) ?? [],
      dress: (target) => dress(id, target),
      ...{ pageSeconds: stream.pageSeconds, limits, elapsed },
    }, turn.end.signal).catch((error) => {
      if (!turn.end.signal.aborted) log("debug", "page not opened", { stream: id, error: errorText(error) });
      return null;
    });
    if (turn.end.signal.aborted) return null;
    const problem = problemOf(loaded, parseStatuses(stream.acceptedStatuses) ?? []);
    this.#tell(id, turn, url, problem);
    return problem === null ? tab : null;
  }

  #tell(id: StreamId, turn: Turn, url: string, problem: string | null): void {
    const { addEvent } = this.#parts;
    const { host } = new URL(url);
    if (problem !== null && !turn.skipped.has(url)) {
      turn.skipped.add(url);
      addEvent(id, "page", `The page of ${host} is skipped: ${problem}`, "warn");
    } else if (problem === null && turn.skipped.delete(url)) {
      addEvent(id, "page", `The page of ${host} can be opened again, and is shown in its turn.`);
    }
  }

  /** Whether nothing has happened meanwhile that changes what is next. */
  #isStillNext(id: StreamId, turn: Turn, page: Page): boolean {
    const { stream: streamOf, isBusy, viewers, show } = this.#parts;
    const stream = streamOf(id);
    return stream !== undefined && !turn.end.signal.aborted && !isBusy(id) && viewers(id) === 0 &&
      show(stream).some(({ url }) => url === page.url);
  }

  async #putInFront(
    { id, display }: RotatedStream,
    turn: Turn,
    page: Page,
    tab: Target,
  ): Promise<void> {
    const { browser: browserOf, openCover, moved, elapsed } = this.#parts;
    const browser = browserOf(id);
    // a display that cannot be covered is no reason to stay
    using cover = await openCover(display).catch(() => null);
    if (cover) await cover.show(await cover.keep());
    const before = await browser.pages();
    await browser.showTab(tab.id);
    Object.assign(turn, { page, since: elapsed(), ahead: null });
    for (const old of before) if (old.id !== tab.id) await browser.closeTab(old.id).catch(() => {});
    moved(id);
    await untilShown(browser);
  }

  /** Closes what was opened ahead, unless it is in front by now. */
  async #closeAhead(id: StreamId, turn: Turn): Promise<void> {
    const tab = turn.ahead;
    if (tab !== null) await this.#parts.browser(id).closeTab(tab).catch(() => {});
    turn.ahead = null;
  }
}

function isSameAddress(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}

/** Why a page that was opened behind is not to be shown, in words; null: it is. */
function problemOf(loaded: LoadedBehind | null, acceptedStatuses: readonly number[]): string | null {
  if (!loaded?.look) return "it did not open in time.";
  const { look, certificate } = loaded;
  const problem = problemOfSeen(acceptedStatuses.includes(look.status) ? { ...look, status: 0 } : look);
  if (problem === null || certificate === null) return problem;
  return `${problem} Its certificate's fingerprint is ${certificate.fingerprint}.`;
}
