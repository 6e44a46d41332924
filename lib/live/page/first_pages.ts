/** Opens each stream's page as soon as its browser is there, after every start of it; and lets its helpers talk to it. */
import type { BrowserControl, Target } from "../../devtools/client.ts";
import type { Connection } from "../../devtools/connection.ts";
import type { Browsers } from "../../devtools/hubs.ts";
import { HttpLogin, type PageLogin } from "../../devtools/http_login.ts";
import { openPage } from "../../devtools/open_page.ts";
import { lookAtPage } from "../../devtools/page_look.ts";
import type { StreamId } from "../../model/id.ts";
import { errorText, log } from "../../system/log.ts";
import type { Part } from "../../system/part.ts";
import { Loop, sleep } from "../../system/time.ts";
import type { Timings } from "../../timings.ts";

export interface FirstPage {
  id: StreamId;
  /** The address that is opened. */
  url: string;
  /** What its server may be told; of the stream's own address. */
  login: PageLogin;
  /** How long each page of a PDF is shown. */
  pageSeconds: number;
}

export interface FirstPagesParts {
  /** The streams that run and are wanted to. */
  running(): readonly FirstPage[];
  browsers: Browsers;
  /** How many people are in a stream's browser by VNC: its helpers ask. */
  viewers(id: StreamId): number;
  /** Makes a stream's tab look as its settings want it. */
  dress(id: StreamId, tab: Target): Promise<void>;
  /** Hears of each page that was opened. */
  opened?(id: StreamId): void;
  limits: Pick<Timings, "browserLookMs" | "browserRestMs">;
  elapsed(): number;
}

/** Between two looks for streams whose helpers are to be let in, at least. */
const SERVE_MS = 500;

/** Between two tries while a browser starts, and until that is left to the page watchdog. */
const PAUSE_MS = 50;
const START_MS = 60_000;

export class FirstPages implements Part {
  #parts: FirstPagesParts;
  #loop = new Loop("first pages not opened");
  #stop = new AbortController();
  #work = new Map<StreamId, Promise<void>>();
  #connections = new Map<StreamId, Connection>();
  #serveAt = 0;

  constructor(parts: FirstPagesParts) {
    this.#parts = parts;
  }

  start(): void {
    const { browserLookMs, browserRestMs } = this.#parts.limits;
    this.#loop.start(() => this.#isComplete() ? browserRestMs : browserLookMs, () => this.round());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop.stop();
    for (const connection of this.#connections.values()) connection.close();
    await Promise.all(this.#work.values());
    await this.#parts.browsers.stop();
  }

  /** Looks for browsers that were started. */
  round(): void {
    const { running, browsers, viewers, elapsed } = this.#parts;
    const streams = running();
    if (elapsed() >= this.#serveAt) {
      this.#serveAt = elapsed() + SERVE_MS;
      void browsers.serve(streams.map(({ id }) => id), viewers);
    }
    for (const first of streams) {
      const { id } = first;
      if (this.#work.has(id)) continue;
      const work = this.#follow(first).catch(() => {}).finally(() => this.#work.delete(id));
      this.#work.set(id, work);
    }
  }

  /** Whether every stream has a browser that we talk to. */
  #isComplete(): boolean {
    return this.#parts.running().every(({ id }) => this.#connections.has(id));
  }

  /** Follows one life of a browser. @throws {Error} when it does not run. */
  async #follow(first: FirstPage): Promise<void> {
    const { id } = first;
    const browser = this.#parts.browsers.of(id);
    await using connection = await browser.open();
    if (this.#stop.signal.aborted) return;
    this.#connections.set(id, connection);
    try {
      const dress = (tab: Target) => this.#parts.dress(id, tab);
      await this.#openFirst(browser, first, connection, dress).then(
        () => this.#parts.opened?.(id),
        (error) => log("warn", "page not opened", { stream: id, error: errorText(error) }),
      );
      await connection.ended;
    } finally {
      this.#connections.delete(id);
      // its next life is expected
      this.#loop.wake();
    }
  }

  async #openFirst(
    browser: BrowserControl,
    first: FirstPage,
    connection: Connection,
    dress: (tab: Target) => Promise<void>,
  ): Promise<void> {
    const { elapsed } = this.#parts;
    for (const deadline = elapsed() + START_MS; connection.isOpen; await sleep(PAUSE_MS, this.#stop.signal)) {
      try {
        return await openFirstPage(browser, first, elapsed, dress);
      } catch (error) {
        if (elapsed() > deadline || this.#stop.signal.aborted) throw error;
      }
    }
  }
}

/**
 * Opens a stream's page in a browser that was just started, and answers what its server asks before it shows anything. A
 * browser that shows a page already is left alone.
 * @param dress what is done with its tab before.
 * @throws {Error} when it has no window yet, or does not answer.
 */
export async function openFirstPage(
  browser: BrowserControl,
  { url, login, pageSeconds }: Omit<FirstPage, "id">,
  elapsed: () => number,
  dress: (tab: Target) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const [target] = await browser.pages();
  if (!target) throw new Error("the browser has no page");
  const isBlank = target.url === "about:blank";
  if (!isBlank && !target.url.startsWith("http")) return;
  await dress(target);
  await using page = await browser.connect(target);
  await page.send("Page.enable");
  if (!isBlank && !(await lookAtPage(page, target.id)).isOpening) return;
  await openPage(page, url, { prepare: () => new HttpLogin(login, { elapsed }).watch(page), pageSeconds });
}
