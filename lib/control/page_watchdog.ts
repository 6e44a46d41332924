/**
 * Keeps each running stream on its page: observes it every 20 s, and brings it back when the page wandered off,
 * crashed, hangs or could not be loaded. One connection per stream stays open, since only that reports crashes and dialogs.
 */
import { noSuchStream, ServiceError } from "../errors.ts";
import { errorText, log } from "../system/log.ts";
import type { BrowserControl, DevTools, Target } from "../devtools/client.ts";
import { openPage } from "../devtools/open_page.ts";
import type { StreamId } from "../streams/id.ts";
import type { Part } from "../system/part.ts";
import { Loop } from "../system/time.ts";
import type { Timings } from "../timings.ts";
import {
  type Action,
  decide,
  mainPage,
  newHistory,
  type PageHistory,
  type PageObservation,
} from "./page_decision.ts";

const ROUND_MS = 1000;

export interface WatchedStream {
  id: StreamId;
  url: string;
  /** Its browser's. */
  profile: string;
  /** Unix ms. */
  startedAt: number;
}

export interface PageWatchdogParts {
  /** The streams that run and are wanted to. */
  running(): readonly WatchedStream[];
  /** Whether a stream is known at all. */
  isKnown(id: StreamId): boolean;
  isBusy(id: StreamId): boolean;
  /** How many people are in the stream's browser by VNC. */
  viewers(id: StreamId): number;
  /** Hears after each look whether viewers may see the page. */
  pageIs?(id: StreamId, isGood: boolean): void;
  browser: BrowserControl;
  limits: Pick<Timings, "pageCheckMs" | "pageRetryMs" | "pageLongestRetryMs">;
  now(): number;
}

interface WatchState {
  startedAt: number;
  history: PageHistory;
  dueAt: number;
  work: Promise<void> | null;
  page: { id: string; devtools: DevTools } | null;
  isCrashed: boolean;
  hasDialog: boolean;
}

export class PageWatchdog implements Part {
  #parts: PageWatchdogParts;
  #entries = new Map<StreamId, WatchState>();
  #loop = new Loop();

  constructor(parts: PageWatchdogParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(ROUND_MS, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    for (const id of [...this.#entries.keys()]) this.#forget(id);
  }

  /** Checks the streams that are due. Each stream is due by its own start, which spreads the checks. */
  round(): void {
    const { running, isBusy, viewers, now } = this.#parts;
    const streams = new Map(running().map((stream) => [stream.id, stream]));
    for (const id of this.#entries.keys()) if (!streams.has(id)) this.#forget(id);
    for (const stream of streams.values()) {
      const entry = this.#entry(stream);
      if (viewers(stream.id) > 0) entry.history.isSettling = false;
      if (isBusy(stream.id) || entry.work || now() < entry.dueAt) continue;
      entry.dueAt = now() + this.#parts.limits.pageCheckMs;
      entry.work = this.#watch(stream, entry)
        // the browser is being restarted, which is the supervisor's work
        .catch((error) => log("debug", "page not watched", { stream: stream.id, error: errorText(error) }))
        .finally(() => entry.work = null);
    }
  }

  /**
   * Brings a stream's page back now and closes all other windows.
   * @throws {ServiceError} 404, 409 when it does not run, 503 when its browser does not answer.
   */
  async home(id: StreamId): Promise<void> {
    const stream = this.#parts.running().find((one) => one.id === id);
    if (!stream) {
      if (!this.#parts.isKnown(id)) throw noSuchStream(id);
      throw new ServiceError(409, `Stream "${id}" does not run: start it to see its page.`);
    }
    const entry = this.#entry(stream);
    await entry.work;
    const work = this.#act(stream, entry, { do: "navigate", why: "asked for" });
    entry.work = work.catch(() => {}).finally(() => entry.work = null);
    entry.history = newHistory(stream.url, this.#parts.viewers(id) === 0);
    entry.dueAt = this.#parts.now() + this.#parts.limits.pageCheckMs;
    await work.catch((error) => {
      const message = `The browser of "${id}" does not answer. Restart the stream if it stays so.`;
      throw new ServiceError(503, message, undefined, { cause: error });
    });
    log("info", "page brought back", { stream: id, why: "asked for" });
  }

  /** Looks at a stream's page at the next round. */
  lookSoon(id: StreamId): void {
    const entry = this.#entries.get(id);
    if (entry) entry.dueAt = 0;
  }

  #entry({ id, url, startedAt }: WatchedStream): WatchState {
    let entry = this.#entries.get(id);
    if (entry && entry.startedAt !== startedAt) {
      this.#forget(id);
      entry = undefined;
    }
    if (!entry) {
      const age = this.#parts.now() - startedAt;
      entry = {
        startedAt,
        // a page that was there before us may have been taken anywhere
        history: newHistory(url, age < this.#parts.limits.pageCheckMs),
        dueAt: this.#parts.now() + Math.max(0, this.#parts.limits.pageCheckMs - age),
        work: null,
        page: null,
        isCrashed: false,
        hasDialog: false,
      };
      this.#entries.set(id, entry);
    }
    if (entry.history.url !== url) entry.history = newHistory(url, true);
    return entry;
  }

  #forget(id: StreamId): void {
    this.#entries.get(id)?.page?.devtools[Symbol.dispose]();
    this.#entries.delete(id);
  }

  async #watch(stream: WatchedStream, entry: WatchState): Promise<void> {
    const { viewers, isBusy, now, limits } = this.#parts;
    const seen = await this.#observe(stream, entry);
    if (isBusy(stream.id) || this.#entries.get(stream.id) !== entry) return;
    const decision = decide(seen, entry.history, { viewers: viewers(stream.id), now: now() }, limits);
    entry.history = decision.history;
    const { action } = decision;
    this.#parts.pageIs?.(stream.id, isFitToShow(seen));
    if (action.do === "nothing") return;
    log("info", "page brought back", { stream: stream.id, did: action.do, why: action.why });
    await this.#act(stream, entry, action);
  }

  async #observe(stream: WatchedStream, entry: WatchState): Promise<PageObservation> {
    const pages = await this.#parts.browser.pages(stream.profile);
    const main = mainPage(pages, entry.page?.id ?? null, stream.url);
    const devtools = main && await this.#connected(stream, entry, main).catch(() => null);
    const canAnswer = devtools && !entry.isCrashed && !entry.hasDialog;
    let href = canAnswer ? await devtools.evaluate<string>("location.href").catch(() => null) : null;
    // Chromium cuts the connection to its own pages, the error page among them
    if (main && !devtools && !main.url.startsWith("http")) href = main.url;
    const { isCrashed, hasDialog } = entry;
    return { pages, mainId: main?.id ?? null, href, isCrashed, hasDialog };
  }

  /** The connection to the main page, a new one where it is another page by now. */
  async #connected(stream: WatchedStream, entry: WatchState, main: Target): Promise<DevTools> {
    if (entry.page?.id === main.id && entry.page.devtools.isOpen) return entry.page.devtools;
    entry.page?.devtools[Symbol.dispose]();
    Object.assign(entry, { page: null, isCrashed: false, hasDialog: false });
    const devtools = await this.#parts.browser.connect(stream.profile, main);
    devtools.onevent = (method, params) => {
      if (method === "Inspector.targetCrashed") entry.isCrashed = true;
      else if (method === "Inspector.targetReloadedAfterCrash") entry.isCrashed = false;
      else if (method === "Page.javascriptDialogClosed") entry.hasDialog = false;
      else if (method === "Page.javascriptDialogOpening") {
        entry.hasDialog = true;
        // nobody could answer it, so the channel does not wait for the next observation
        if (this.#parts.viewers(stream.id) === 0) dismiss(devtools, params.type === "beforeunload");
      } else return;
      if (entry.isCrashed) entry.dueAt = 0;
    };
    if (this.#entries.get(stream.id) !== entry) {
      devtools[Symbol.dispose]();
      throw new Error("the stream was stopped");
    }
    entry.page = { id: main.id, devtools };
    // not awaited, because a page that hangs does not answer; the next checks find that
    // with WebAuthn, a page that asks for a security key finds none, rather than putting a dialog on the air
    for (const domain of ["Page", "Inspector", "WebAuthn"]) devtools.send(`${domain}.enable`).catch(() => {});
    return devtools;
  }

  /** @throws {Error} when the tab cannot be sent there: it hangs, or shows a page of Chromium's own. */
  async #navigate(stream: WatchedStream, entry: WatchState, main: Target): Promise<void> {
    const devtools = await this.#connected(stream, entry, main);
    if (entry.hasDialog) dismiss(devtools, true);
    // the page may ask whether to leave
    const leave = setTimeout(() => entry.hasDialog && dismiss(devtools, true), 500);
    try {
      await openPage(devtools, stream.url);
    } finally {
      clearTimeout(leave);
    }
  }

  async #act(stream: WatchedStream, entry: WatchState, action: Action): Promise<void> {
    const { profile, url } = stream;
    const pages = await this.#parts.browser.pages(profile);
    let main = mainPage(pages, entry.page?.id ?? null, url);
    if (action.do === "dismiss") return dismiss(entry.page?.devtools, false);
    if (action.do === "navigate" && main) {
      const isThere = await this.#navigate(stream, entry, main).then(() => true, () => false);
      if (!isThere) main = undefined;
    }
    if (action.do === "replace" || !main) {
      main = await this.#parts.browser.openTab(profile);
      await this.#navigate(stream, entry, main);
    }
    if (pages.some(({ id }) => id !== main.id)) {
      for (const { id } of pages) {
        if (id !== main.id) await this.#parts.browser.closeTab(profile, id).catch(() => {});
      }
      await this.#parts.browser.showTab(profile, main.id);
    }
    await this.#connected(stream, entry, main);
  }
}

/** Whether it is a web page that answers, and nothing of the browser's own. */
function isFitToShow({ href, isCrashed, hasDialog }: PageObservation): boolean {
  return href !== null && href.startsWith("http") && !isCrashed && !hasDialog;
}

/** Answers a page's dialog: Cancel, or Leave for one that asks whether to leave. */
function dismiss(devtools: DevTools | undefined, accept: boolean): void {
  devtools?.send("Page.handleJavaScriptDialog", { accept }).catch(() => {});
}
