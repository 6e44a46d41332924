/**
 * Shows the pages of a stream, or of its plan, one after the other. The next page is opened before its time, in a tab
 * behind the shown page. The change itself is under a cover with the picture of before, so that viewers see neither an
 * empty page nor a page that is half there. A page that cannot be opened is skipped. While somebody is in the
 * browser by VNC, everything stays.
 */
import type { Target } from "../../browser/client.ts";
import { problemOfLook } from "./first_look.ts";
import { loadBehind, type LoadedBehind, untilSilentBehind } from "./open_behind.ts";
import { untilShown } from "./looks/painted.ts";
import { parseFingerprints } from "../../model/certificates.ts";
import type { Page } from "../../model/plan/pages.ts";
import type { Stream } from "../../model/schema.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import { happensWithin, sleep } from "../../machine/tools/time.ts";
import type { PageDresser } from "./dresser.ts";
import type { PageFindings } from "./findings.ts";
import { dueAt, type InFront, inTurn, placeOf } from "./rotation_turns.ts";
import type { StartedPage } from "./started_page.ts";

/** A page that is being opened behind the shown page. */
interface Ahead {
  tab: Target;
  /** The page has shown something, or cannot be opened. */
  answered: Promise<void>;
  /** Null: it cannot be opened. */
  loaded: Promise<LoadedBehind | null>;
  end: AbortController;
}

/** One stream's pages, for one start of the stream. */
export class Rotation {
  /** Called when another page was put in front, which is known to be good. */
  onmoved: () => void = () => {};
  #started: StartedPage;
  #dresser: PageDresser;
  #findings: PageFindings;
  #front: InFront & { at: number } = { page: { url: "" }, since: 0, at: 0 };
  /** Whether the browser was asked which page is in front: the browser may be older than the web app. */
  #isKnown = false;
  /** The tabs behind the shown page, by the addresses that are opened in them: the next page's, and slow ones. */
  #ahead = new Map<string, Ahead>();
  /** Addresses of pages whose skip was reported. */
  #skipped = new Set<string>();
  /** The end of the rest after a round that opened no other page. */
  #restsUntil = 0;
  /** Whether the stream has, or had, more than one page. */
  #hasSeveral = false;
  #work: Promise<void> | null = null;
  #end = new AbortController();

  /** @param findings of the page in front. */
  constructor(started: StartedPage, dresser: PageDresser, findings: PageFindings) {
    this.#started = started;
    this.#dresser = dresser;
    this.#findings = findings;
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#work;
    await this.#closeAhead(() => false);
  }

  /** The page that is on: the page in front while it is the stream's, else the first page. */
  pageNow(stream: Stream): string {
    const { page } = this.#front;
    const { pages } = this.#started.live.plan.timetable(stream);
    if (this.#hasSeveral && placeOf(pages, page) >= 0) return page.url;
    return this.#firstOf(stream).url;
  }

  /** Whether a page that is to come is opened in that tab. */
  isAhead(tab: string): boolean {
    return [...this.#ahead.values()].some(({ tab: { id } }) => id === tab);
  }

  /** The stream's browser was started, and has opened a page. */
  opened(): void {
    this.#isKnown = false;
    void this.#closeAhead(() => false);
  }

  /** The page that is shown next, and when (Unix ms); null: the one in front stays, or that is not known. */
  next(stream: Stream): { url: string; at: number } | null {
    const { live } = this.#started;
    if (!this.#hasSeveral || !this.#isKnown || live.viewers > 0 || this.#findings.isBroken) return null;
    const pages = live.plan.show(stream);
    const [page] = inTurn(pages, this.#front.page);
    const due = dueAt(pages, this.#front, false, this.#elapsed);
    if (!page || !Number.isFinite(due) || due < this.#elapsed) return null;
    return { url: page.url, at: this.#front.at + due - this.#front.since };
  }

  /** Changes the page whose time is over. */
  tick(stream: Stream): void {
    const { live } = this.#started;
    if (live.isBusy || this.#end.signal.aborted) return;
    // a stream that had more may still show another page
    if (stream.morePages === "" && stream.plan === "" && !this.#hasSeveral) return;
    if (!this.#hasSeveral) this.#front = this.#inFrontNow(this.#firstOf(stream));
    this.#hasSeveral = true;
    this.#work ??= this.#take(stream)
      .catch((error) => {
        // the browser is being started, say, which is the supervisor's work
        log("debug", "page not changed", { stream: stream.id, error: errorText(error) });
      })
      .finally(() => this.#work = null);
  }

  /** @returns with the time by both clocks. */
  #inFrontNow(page: InFront["page"]): InFront & { at: number } {
    return { page, since: this.#elapsed, at: this.#started.ground.machine.now() };
  }

  get #elapsed(): number {
    return this.#started.ground.machine.elapsed();
  }

  /** The page that a stream begins with. */
  #firstOf(stream: Stream): Page {
    const { live } = this.#started;
    return live.plan.show(stream)[0] ?? live.plan.timetable(stream).pages[0];
  }

  async #take(stream: Stream): Promise<void> {
    const { live, ground } = this.#started;
    const limits = ground.config.TIMINGS.rotation;
    if (!this.#isKnown && !await this.#learn(stream)) return;
    if (live.viewers > 0) {
      // after a person's visit, the page has its whole time
      this.#front = this.#inFrontNow(this.#front.page);
      return;
    }
    const pages = live.plan.show(stream);
    const due = dueAt(pages, this.#front, this.#findings.isBroken, this.#elapsed);
    const seconds = pages[placeOf(pages, this.#front.page)]?.seconds ?? 0;
    const beginsAt = Math.max(due - Math.min(limits.aheadMs, seconds * 500), this.#restsUntil);
    if (this.#elapsed < beginsAt) return;
    await this.#closeAhead((url) => pages.some((page) => page.url === url));
    for (const page of inTurn(pages, this.#front.page)) {
      const tab = await this.#open(stream, page);
      try {
        if (tab) {
          await sleep(Math.max(0, due - this.#elapsed), this.#end.signal);
          if (this.#isStillNext(page)) await this.#putInFront(page, tab);
        }
        if (tab || this.#end.signal.aborted) return;
      } finally {
        if (tab) await this.#closeAhead((url) => url !== page.url);
      }
    }
    this.#restsUntil = this.#elapsed + Math.max(seconds, pages[0]?.seconds ?? 0) * 1000;
  }

  /** Asks the browser which page is in front. @returns false while there is no page yet. */
  async #learn(stream: Stream): Promise<boolean> {
    const { browser, live, ground: { around } } = this.#started;
    const [front] = await browser.pages();
    if (!front?.url.startsWith("http")) return false;
    const { pages } = live.plan.timetable(stream);
    const shown = pages.find(({ url }) =>
      isSameAddress(front.url, around.pageAddress({ id: stream.id, url }))
    );
    this.#front = this.#inFrontNow(shown ?? this.#firstOf(stream));
    return this.#isKnown = true;
  }

  /**
   * Opens a page behind the shown page. One whose server is slow stays on its way while others take their turns: to ask
   * for it again would end the request that is about to be answered.
   * @returns its tab; null when the page cannot be opened, or not yet.
   */
  async #open(stream: Stream, { url }: Page): Promise<Target | null> {
    const { loadMs } = this.#started.ground.config.TIMINGS.rotation;
    const ahead = this.#ahead.get(url) ?? await this.#begin(stream, url);
    const isAnswered = await happensWithin(loadMs, ahead.answered);
    if (this.#end.signal.aborted) return null;
    if (!isAnswered) {
      this.#tell(url, "its server has not answered yet, and the service waits for it.");
      return null;
    }
    const problem = problemOf(await ahead.loaded, url, stream);
    this.#tell(url, problem);
    if (problem !== null) await this.#closeAhead((other) => other !== url);
    return problem === null ? ahead.tab : null;
  }

  async #begin(stream: Stream, url: string): Promise<Ahead> {
    const { browser, ground: { around, machine, config: { TIMINGS } } } = this.#started;
    const { id } = stream;
    const tab = await browser.openTab(true);
    if (stream.audio) await untilSilentBehind(browser);
    const end = new AbortController();
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    const loaded = loadBehind(browser, tab, {
      url: around.pageAddress({ id, url }),
      login: { ...stream, proxyLogin: around.proxyLogin },
      accepted: parseFingerprints(stream.acceptedCertificates) ?? [],
      dress: (one) => this.#dresser.dress(one),
      answered: resolve,
      limits: { ...TIMINGS.rotation, answerMs: TIMINGS.pageGiveUpMs },
      elapsed: machine.elapsed,
    }, AbortSignal.any([end.signal, this.#end.signal])).catch((error) => {
      if (!end.signal.aborted) log("debug", "page not opened", { stream: id, error: errorText(error) });
      return null;
    }).finally(resolve);
    const ahead = { tab, answered, loaded, end };
    this.#ahead.set(url, ahead);
    return ahead;
  }

  #tell(url: string, problem: string | null): void {
    const { live } = this.#started;
    const { host } = new URL(url);
    if (problem !== null && !this.#skipped.has(url)) {
      this.#skipped.add(url);
      live.tell("page", `The page of ${host} is skipped: ${problem}`, "warn");
    } else if (problem === null && this.#skipped.delete(url)) {
      live.tell("page", `The page of ${host} can be opened again and is shown in turn.`);
    }
  }

  /** Whether the page is still the next page. */
  #isStillNext(page: Page): boolean {
    const { stream, isBusy, viewers, plan } = this.#started.live;
    return stream !== undefined && !this.#end.signal.aborted && !isBusy && viewers === 0 &&
      plan.show(stream).some(({ url }) => url === page.url);
  }

  async #putInFront(page: Page, tab: Target): Promise<void> {
    const { browser, ground: { machine }, display } = this.#started;
    // a display that cannot be covered is no reason to stay
    using cover = await machine.openCover(display).catch(() => null);
    if (cover) await cover.show(await cover.keep());
    const before = await browser.pages();
    await browser.showTab(tab.id);
    this.#front = this.#inFrontNow(page);
    this.#ahead.delete(page.url);
    for (const { id } of before) {
      if (id !== tab.id && !this.isAhead(id)) await browser.closeTab(id).catch(() => {});
    }
    this.onmoved();
    await untilShown(browser);
  }

  /** Closes the tabs behind the shown page, but for those whose addresses are to stay. */
  async #closeAhead(stays: (url: string) => boolean): Promise<void> {
    for (const [url, { tab, end }] of this.#ahead) {
      if (stays(url)) continue;
      this.#ahead.delete(url);
      end.abort();
      await this.#started.browser.closeTab(tab.id).catch(() => {});
    }
  }
}

function isSameAddress(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}

/** The problem of a page that was opened behind, in words; null: it can be shown. */
function problemOf(loaded: LoadedBehind | null, url: string, stream: Stream): string | null {
  if (!loaded?.look) return "it did not open in time.";
  const { look, certificate } = loaded;
  const problem = problemOfLook(look, url, stream);
  if (problem === null || certificate === null) return problem;
  return `${problem} Its certificate's fingerprint is ${certificate.fingerprint}.`;
}
