/** A stream's Chromium by its DevTools protocol: only the few calls that the service needs. */
import { happensWithin, withTimeout } from "../machine/tools/time.ts";
import { Connection, type Wire } from "./connection.ts";

export interface Target {
  id: string;
  type: string;
  url: string;
  title?: string;
}

/** A target's id is a secret of the browser; a page's id is also its main frame's id. */
const TARGET_ID = /^[0-9A-Fa-f]{32}$/;

/** Milliseconds for a page to say whether it is in front, and the most pages that are asked. */
const FRONT_MS = 500;
const MAX_ASKED = 8;

/** @throws {Error} when the value is no target. */
export function readTarget(value: unknown): Target {
  const { targetId, type, url, title } = Object(value);
  const isTarget = typeof targetId === "string" && TARGET_ID.test(targetId) && typeof type === "string" &&
    typeof url === "string";
  if (!isTarget) throw new Error("the browser's answer is not a target");
  return { id: targetId, type, url, ...(typeof title === "string" ? { title } : {}) };
}

/** The windows and tabs among a browser's targets. @throws {Error} when there are none, or they are no targets. */
export function readPages(targets: unknown): Target[] {
  if (!Array.isArray(targets)) throw new Error("the browser's answer is not a list");
  // a browser also has targets of type browser_ui, worker, …; the address bar's turn to "page" after its first use
  const isPage = ({ url }: Target) => !/^chrome:\/\/[^/]*\.top-chrome\//.test(url);
  return targets.filter((one) => Object(one).type === "page").map(readTarget).filter(isPage);
}

/** Where an expression is evaluated, and how. */
export interface EvaluateOptions {
  /** The id of one document's isolated world, where the page's own scripts have changed nothing. */
  world?: string;
  /** Whether the value of the expression's promise is awaited. */
  awaitPromise?: boolean;
}

type Listener = (method: string, params: Record<string, unknown>) => void;

/** A session with one page. `using` closes the session. */
export class DevTools implements Disposable, AsyncDisposable {
  /** Gets the events of the domains that were enabled. */
  onevent: Listener = () => {};
  /** Resolves when the session has ended, on either side. */
  readonly ended: Promise<void>;
  #connection: Connection;
  #session = "";
  #isOpen = true;
  #listeners = new Set<Listener>();
  #end: () => void;

  private constructor(connection: Connection) {
    this.#connection = connection;
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    this.#end = () => {
      this.#isOpen = false;
      ended.resolve();
    };
  }

  /** Opens a session with a page; its disposal closes the connection. @throws {Error} when there is no such page. */
  static async open(connection: Connection, { id }: Pick<Target, "id">): Promise<DevTools> {
    const page = new DevTools(connection);
    page.#session = await connection.attach(id, {
      onevent: (method, params) => page.#handle(method, params),
      onend: () => page.#end(),
    });
    return page;
  }

  /** Whether commands can be sent. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Passes events also to a listener, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends one command. @throws {Error} when the browser answers an error, or nothing within 10 s. */
  async send<Result>(method: string, params: Record<string, unknown> = {}): Promise<Result> {
    if (!this.#isOpen) throw new Error("the browser closed the connection");
    return await this.#connection.send<Result>(method, params, this.#session);
  }

  /** The value of an expression in the page. @throws {Error} when the expression throws. */
  async evaluate<Value>(expression: string, options: EvaluateOptions = {}): Promise<Value> {
    interface Answer {
      result: { value: Value };
      exceptionDetails?: { text: string };
    }
    const { world, awaitPromise = false } = options;
    const place = world === undefined ? {} : { uniqueContextId: world };
    const params = { expression, returnByValue: true, awaitPromise, ...place };
    const answer = await this.send<Answer>("Runtime.evaluate", params);
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text);
    return answer.result.value;
  }

  [Symbol.dispose](): void {
    this.#end();
    this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this[Symbol.dispose]();
    await this.#connection.ended;
  }

  #handle(method: string, params: Record<string, unknown>): void {
    for (const listener of this.#listeners) listener(method, params);
    this.onevent(method, params);
  }
}

/** The actions on a browser. */
export interface BrowserControl {
  /** A connection that lasts as long as the browser. @throws {Error} when the browser does not run or answer. */
  open(): Promise<Connection>;
  /** Whether the browser's main process answers within the limit. */
  answers(limitMs: number): Promise<boolean>;
  /** The browser's windows and tabs, the front page first. @throws {Error} when the browser does not answer. */
  pages(): Promise<Target[]>;
  /** A session with one page. @throws {Error} when there is no such page, or the browser does not answer. */
  connect(page: Pick<Target, "id">): Promise<DevTools>;
  /** A session with the page in front; a kiosk has one page. @throws {Error} when there is no page. */
  connectFirst(): Promise<DevTools>;
  /** Opens a blank tab, in front of the others unless `isBehind`. @throws {Error} when the browser does not answer. */
  openTab(isBehind?: boolean): Promise<Target>;
  /** @throws {Error} when the browser does not answer, or has no such tab. */
  closeTab(id: string): Promise<void>;
  /** Brings a tab to the front. @throws {Error} when the browser does not answer, or has no such tab. */
  showTab(id: string): Promise<void>;
}

export class Browser implements BrowserControl {
  #wire: () => Promise<Wire>;

  /** @param wire opens a way to the browser's hub. */
  constructor(wire: () => Promise<Wire>) {
    this.#wire = wire;
  }

  async open(): Promise<Connection> {
    return new Connection(await this.#wire());
  }

  async answers(limitMs: number): Promise<boolean> {
    const connection = this.open();
    try {
      return await happensWithin(limitMs, connection.then((open) => open.send("Browser.getVersion")));
    } finally {
      void connection.then((open) => open.close(), () => {});
    }
  }

  async pages(): Promise<Target[]> {
    await using connection = await this.open();
    return await this.#pages(connection);
  }

  async connect(page: Pick<Target, "id">): Promise<DevTools> {
    return await this.#connected(() => Promise.resolve(page));
  }

  async connectFirst(): Promise<DevTools> {
    return await this.#connected(async (connection) => {
      const [page] = await this.#pages(connection);
      if (!page) throw new Error("the browser has no page");
      return page;
    });
  }

  async openTab(isBehind = false): Promise<Target> {
    const url = "about:blank";
    const params = { url, ...(isBehind ? { background: true } : {}) };
    const { targetId } = await this.#ask<{ targetId: string }>("Target.createTarget", params);
    return readTarget({ targetId, type: "page", url });
  }

  async closeTab(id: string): Promise<void> {
    await this.#ask("Target.closeTarget", { targetId: id });
  }

  async showTab(id: string): Promise<void> {
    await this.#ask("Target.activateTarget", { targetId: id });
  }

  async #ask<Result>(method: string, params: Record<string, unknown> = {}): Promise<Result> {
    await using connection = await this.open();
    return await connection.send<Result>(method, params);
  }

  async #connected(choose: (connection: Connection) => Promise<Pick<Target, "id">>): Promise<DevTools> {
    const connection = await this.open();
    try {
      return await DevTools.open(connection, await choose(connection));
    } catch (error) {
      connection.close();
      await connection.ended;
      throw error;
    }
  }

  async #pages(connection: Connection): Promise<Target[]> {
    const { targetInfos } = await connection.send<{ targetInfos: unknown }>("Target.getTargets");
    const pages = readPages(targetInfos);
    // the browser says no order, so two or more pages are asked themselves
    if (pages.length < 2) return pages;
    const places = await Promise.all(
      pages.map((page, at) => at < MAX_ASKED ? placeOf(connection, page) : HIDDEN),
    );
    return pages.map((page, at) => ({ page, place: places[at] }))
      .sort((one, other) => one.place - other.place).map(({ page }) => page);
  }
}

/** A page's place from the front. A page that hangs is taken for visible when no other page says that it is. */
const [FOCUSED, VISIBLE, SILENT, HIDDEN] = [0, 1, 2, 3];

async function placeOf(connection: Connection, { id }: Target): Promise<number> {
  const ask = async () => {
    const sessionId = await connection.attach(id, { onevent: () => {}, onend: () => {} });
    const world = { frameId: id, worldName: "browser-stream-order" };
    const { executionContextId: contextId } = await connection.send<{ executionContextId: number }>(
      "Page.createIsolatedWorld",
      world,
      sessionId,
    );
    const expression =
      `document.visibilityState === "visible" && (document.hasFocus() ? "focused" : "visible")`;
    const params = { expression, contextId, returnByValue: true };
    const { result } = await connection.send<{ result: { value: unknown } }>(
      "Runtime.evaluate",
      params,
      sessionId,
    );
    return result.value === "focused" ? FOCUSED : result.value === "visible" ? VISIBLE : HIDDEN;
  };
  return await withTimeout(FRONT_MS, ask()).catch(() => SILENT);
}
