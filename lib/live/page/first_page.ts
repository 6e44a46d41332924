/** Opens a stream's page as soon as its browser is there, in each of the browser's lives. */
import type { Connection } from "../../browser/connection.ts";
import { emptyCache } from "../../browser/from_server.ts";
import { HttpLogin } from "../../signin/http.ts";
import { openPage } from "../../browser/open_page.ts";
import { lookAtPage } from "./looks/page_look.ts";
import { untilShown } from "./looks/painted.ts";
import type { StreamId } from "../../model/id.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import { sleep } from "../../machine/tools/time.ts";
import type { PageDresser } from "./dresser.ts";
import type { Rotation } from "./rotation.ts";
import type { StartedPage } from "./started_page.ts";

/** The pause between two tries while a browser starts, and the time until the page's keeper takes over. */
const PAUSE_MS = 50;
const START_MS = 60_000;

/** The first page of a stream, for one of its starts. */
export class FirstPage {
  #started: StartedPage;
  #dresser: PageDresser;
  #rotation: Rotation;
  #stop = new AbortController();
  #download = new AbortController();
  #work: Promise<void> | null = null;
  #connection: Connection | null = null;

  /** @param rotation knows which of the stream's pages is on. */
  constructor(started: StartedPage, dresser: PageDresser, rotation: Rotation) {
    this.#started = started;
    this.#dresser = dresser;
    this.#rotation = rotation;
  }

  get id(): StreamId {
    return this.#started.live.id;
  }

  /** Whether there is a connection to a browser. */
  get isConnected(): boolean {
    return this.#connection !== null;
  }

  /** Aborts when the address gives a download instead of a page. */
  get download(): AbortSignal {
    return this.#download.signal;
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
    await using connection = await this.#started.browser.open();
    if (this.#stop.signal.aborted) return;
    this.#connection = connection;
    try {
      await this.#open(connection).then(
        () => this.#opened(),
        (error) => log("warn", "page not opened", { stream: this.id, error: errorText(error) }),
      );
      await connection.ended;
    } finally {
      this.#connection = null;
      ended();
    }
  }

  /** Tries until the browser has a window. @throws {Error} when it takes too long. */
  async #open(connection: Connection): Promise<void> {
    const { elapsed } = this.#started.ground.machine;
    for (const deadline = elapsed() + START_MS; connection.isOpen; await sleep(PAUSE_MS, this.#stop.signal)) {
      try {
        return await this.#openIn();
      } catch (error) {
        if (elapsed() > deadline || this.#stop.signal.aborted) throw error;
      }
    }
  }

  /**
   * Opens the page in the browser's first tab, and answers the server's login questions first. A browser that shows a page
   * already is left alone.
   * @throws {Error} when the browser has no window yet, or does not answer.
   */
  async #openIn(): Promise<void> {
    const { live, browser, ground: { around: { pageAddress, proxyLogin }, machine: { elapsed } } } =
      this.#started;
    const stream = live.spec?.stream ?? live.stream;
    if (!stream) throw new Error("the stream was removed");
    const [target] = await browser.pages();
    if (!target) throw new Error("the browser has no page");
    const isBlank = target.url === "about:blank";
    if (!isBlank && !target.url.startsWith("http")) return;
    await this.#dresser.dress(target);
    await using page = await browser.connect(target);
    page.listen((method, { frameId }) => {
      if (method === "Page.downloadWillBegin" && frameId === target.id) this.#download.abort();
    });
    await page.send("Page.enable");
    if (!isBlank && !(await lookAtPage(page, target.id)).isOpening) return;
    // of an earlier start
    await emptyCache(page);
    const url = pageAddress({ id: stream.id, url: this.#rotation.pageNow(stream) });
    // the password is for the server of the stream's own address
    const login = { ...stream, url: pageAddress(stream), proxyLogin };
    await openPage(page, url, { prepare: () => new HttpLogin(login, { elapsed }).watch(page) });
  }

  #opened(): void {
    const { live, browser, ground: { around } } = this.#started;
    void untilShown(browser).then(() => live.channel.slate.shown());
    this.#rotation.opened();
    if (live.spec) around.opened(live.spec.stream);
  }
}
