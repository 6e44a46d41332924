/** Opens a stream's page as soon as its browser is there, in each of the browser's lives. */
import type { BrowserControl, Target } from "../../devtools/client.ts";
import type { Connection } from "../../devtools/connection.ts";
import { emptyCache } from "../../devtools/from_server.ts";
import { HttpLogin, type PageLogin } from "../../signin/http.ts";
import { openPage } from "../../devtools/open_page.ts";
import { lookAtPage } from "../../devtools/page_look.ts";
import type { StreamId } from "../../model/id.ts";
import { errorText, log } from "../../system/log.ts";
import { sleep } from "../../system/time.ts";

export interface OpenedPage {
  /** The address that is opened. */
  url: string;
  /** The login for the server of the stream's own address. */
  login: PageLogin;
}

export interface FirstPageParts {
  id: StreamId;
  browser: BrowserControl;
  page(): OpenedPage;
  /** Makes a tab look as the stream's settings want it. */
  dress(tab: Target): Promise<void>;
  /** Takes each page that was opened. */
  opened(): void;
  /** The address gives a download instead of a page. */
  downloaded?(): void;
  elapsed(): number;
}

/** The pause between two tries while a browser starts, and the time until the page's keeper takes over. */
const PAUSE_MS = 50;
const START_MS = 60_000;

/** The first page of a stream, for one of its starts. */
export class FirstPage {
  #parts: FirstPageParts;
  #stop = new AbortController();
  #work: Promise<void> | null = null;
  #connection: Connection | null = null;

  constructor(parts: FirstPageParts) {
    this.#parts = parts;
  }

  get id(): StreamId {
    return this.#parts.id;
  }

  /** Whether there is a connection to a browser. */
  get isConnected(): boolean {
    return this.#connection !== null;
  }

  /** Looks for a browser that was started. @param ended is called at the browser's end: its next life is expected. */
  look(ended: () => void): void {
    if (this.#stop.signal.aborted) return;
    this.#work ??= this.#follow(ended).catch(() => {}).finally(() => this.#work = null);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#connection?.close();
    await this.#work;
  }

  /** Follows one life of the browser. @throws {Error} when it does not run. */
  async #follow(ended: () => void): Promise<void> {
    const { id, browser, opened } = this.#parts;
    await using connection = await browser.open();
    if (this.#stop.signal.aborted) return;
    this.#connection = connection;
    try {
      await this.#open(connection).then(
        opened,
        (error) => log("warn", "page not opened", { stream: id, error: errorText(error) }),
      );
      await connection.ended;
    } finally {
      this.#connection = null;
      ended();
    }
  }

  async #open(connection: Connection): Promise<void> {
    const { browser, page, dress, downloaded, elapsed } = this.#parts;
    for (const deadline = elapsed() + START_MS; connection.isOpen; await sleep(PAUSE_MS, this.#stop.signal)) {
      try {
        return await openFirstPage(browser, page(), elapsed, dress, downloaded);
      } catch (error) {
        if (elapsed() > deadline || this.#stop.signal.aborted) throw error;
      }
    }
  }
}

/**
 * Opens a stream's page in a browser that was just started, and answers the server's login questions first. A browser
 * that shows a page already is left alone.
 * @param dress prepares the tab before. @param downloaded is called where a download comes instead of the page.
 * @throws {Error} when the browser has no window yet, or does not answer.
 */
export async function openFirstPage(
  browser: BrowserControl,
  { url, login }: OpenedPage,
  elapsed: () => number,
  dress: (tab: Target) => Promise<void> = () => Promise.resolve(),
  downloaded: () => void = () => {},
): Promise<void> {
  const [target] = await browser.pages();
  if (!target) throw new Error("the browser has no page");
  const isBlank = target.url === "about:blank";
  if (!isBlank && !target.url.startsWith("http")) return;
  await dress(target);
  await using page = await browser.connect(target);
  page.listen((method, { frameId }) => {
    if (method === "Page.downloadWillBegin" && frameId === target.id) downloaded();
  });
  await page.send("Page.enable");
  if (!isBlank && !(await lookAtPage(page, target.id)).isOpening) return;
  // of an earlier start
  await emptyCache(page);
  await openPage(page, url, { prepare: () => new HttpLogin(login, { elapsed }).watch(page) });
}
