/** A stream's Chromium by its DevTools protocol: only the few calls the helpers need. */

export interface Target {
  id: string;
  type: string;
  url: string;
  webSocketDebuggerUrl: string;
}

/** Milliseconds for each answer of the browser. */
const ANSWER_MS = 10_000;

async function ask(port: number, path: string, method = "GET"): Promise<Response> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(`http://127.0.0.1:${port}/json/${path}`, { method, signal });
  if (response.ok) return response;
  throw new Error(`the browser answered ${response.status}: ${(await response.text()).slice(0, 200)}`);
}

/** The browser's windows and tabs, the last used first. @throws {Error} when the browser does not answer. */
export async function pageTargets(port: number): Promise<Target[]> {
  const response = await ask(port, "list");
  // the list also has targets of type browser_ui, worker, …; the address bar's own turn to "page" once it was used
  const isPage = ({ type, url }: Target) => type === "page" && !/^chrome:\/\/[^/]*\.top-chrome\//.test(url);
  return (await response.json() as Target[]).filter(isPage);
}

/** Opens a tab. @throws {Error} when the browser does not answer. */
export async function openTab(port: number, url: string): Promise<Target> {
  return await (await ask(port, `new?${encodeURIComponent(url)}`, "PUT")).json();
}

/** Closes a tab. @throws {Error} when the browser does not answer, or has no such tab. */
export async function closeTab(port: number, id: string): Promise<void> {
  await (await ask(port, `close/${id}`)).body?.cancel();
}

/** Brings a tab to the front. @throws {Error} when the browser does not answer, or has no such tab. */
export async function showTab(port: number, id: string): Promise<void> {
  await (await ask(port, `activate/${id}`)).body?.cancel();
}

/** The browser's page; a kiosk has one. @throws {Error} when the browser does not answer. */
export async function pageTarget(port: number): Promise<Target> {
  const [page] = await pageTargets(port);
  if (!page) throw new Error("the browser has no page");
  return page;
}

/** A connection to one page. `using` closes it. */
export class DevTools implements Disposable, AsyncDisposable {
  #socket: WebSocket;
  #next = 1;
  #waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  /** Gets the events of the domains that were enabled. */
  onevent: (method: string, params: Record<string, unknown>) => void = () => {};

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      const { id, result, error, method, params } = JSON.parse(data);
      if (id === undefined) return this.onevent(method, params);
      const call = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) call?.reject(new Error(error.message));
      else call?.resolve(result as never);
    };
    socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the browser closed the connection"));
      this.#waiting.clear();
    };
  }

  /** Connects to the page of the browser at `port`. @throws {Error} when it cannot within 10 s. */
  static async connect(port: number): Promise<DevTools> {
    return await DevTools.to(await pageTarget(port));
  }

  /** Connects to one page. @throws {Error} when it cannot within 10 s. */
  static async to({ webSocketDebuggerUrl }: Target): Promise<DevTools> {
    const socket = new WebSocket(webSocketDebuggerUrl);
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        socket.close();
        reject(new Error("the browser did not accept the connection"));
      }, ANSWER_MS);
      socket.onopen = () => (clearTimeout(timer), resolve());
      socket.onerror = () => (clearTimeout(timer), reject(new Error("the browser refused the connection")));
    });
    return new DevTools(socket);
  }

  /** Whether commands can be sent. */
  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** One command. @throws {Error} when the browser answers an error, or nothing within 10 s. */
  async send<Result>(method: string, params: Record<string, unknown> = {}): Promise<Result> {
    if (!this.isOpen) throw new Error("the browser closed the connection");
    const id = this.#next++;
    const answer = new Promise<Result>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const timer = setTimeout(() => {
      this.#waiting.get(id)?.reject(new Error(`${method}: the browser did not answer`));
      this.#waiting.delete(id);
    }, ANSWER_MS);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The value of an expression in the page. @throws {Error} what the page throws. */
  async evaluate<Value>(expression: string): Promise<Value> {
    interface Answer {
      result: { value: Value };
      exceptionDetails?: { text: string };
    }
    const answer = await this.send<Answer>("Runtime.evaluate", { expression, returnByValue: true });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text);
    return answer.result.value;
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  /** Closes the connection and waits for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    const isClosed = this.#socket.readyState === WebSocket.CLOSED;
    const closed = new Promise((done) => this.#socket.addEventListener("close", done, { once: true }));
    this.#socket.close();
    if (!isClosed) await closed;
  }
}

/** What the page watchdog needs of a browser; `port` is its DevTools' on loopback. */
export interface BrowserControl {
  pages(port: number): Promise<Target[]>;
  connect(page: Target): Promise<DevTools>;
  openTab(port: number, url: string): Promise<Target>;
  closeTab(port: number, id: string): Promise<void>;
  showTab(port: number, id: string): Promise<void>;
}

/** The real browsers. */
export const chromium: BrowserControl = {
  pages: pageTargets,
  connect: (page) => DevTools.to(page),
  openTab,
  closeTab,
  showTab,
};
