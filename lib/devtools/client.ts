/**
 * A stream's Chromium by its DevTools protocol: only the few calls the helpers need. A browser is named by its profile,
 * and each call makes sure first that it reaches the browser with this profile (endpoint.ts).
 */
import { happensWithin } from "../system/time.ts";
import { devtoolsPort } from "./endpoint.ts";

export interface Target {
  id: string;
  type: string;
  url: string;
  title?: string;
}

/** Milliseconds for each answer of the browser, and for its answer to our close. */
const ANSWER_MS = 10_000;
const CLOSE_MS = 2000;

/** Bytes of one answer: a page decides how long its address and title are, but nobody how much we read. */
export const MAX_ANSWER = 1024 * 1024;

/** Targets' ids are a secret of the browser, and go into addresses. */
const TARGET_ID = /^[0-9A-Fa-f]{32}$/;

/** What a browser, or one who took its place, says, up to a limit. @throws {Error} when it says no, or too much. */
export async function askDevtools(port: number, path: string, method = "GET"): Promise<string> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const url = `http://127.0.0.1:${port}/json/${path}`;
  const response = await fetch(url, { method, signal, redirect: "error" });
  const text = await cappedText(response);
  if (response.ok) return text;
  throw new Error(`the browser answered ${response.status}: ${text.slice(0, 200)}`);
}

async function cappedText(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    // leaving the loop closes the connection
    if (text.length > MAX_ANSWER) throw new Error("the browser answered more than 1 MB");
  }
  return text;
}

/** Asks the browser with this profile. */
async function ask(profile: string, path: string, method?: string): Promise<string> {
  const port = await devtoolsPort(profile);
  const answer = await askDevtools(port, path, method);
  await requireSame(profile, port);
  return answer;
}

/** Who had the port before and has it after an exchange is the one it was with. */
async function requireSame(profile: string, port: number): Promise<void> {
  if (await devtoolsPort(profile) !== port) throw new Error("the browser was replaced");
}

/** @throws {Error} when it is none. */
export function readTarget(value: unknown): Target {
  const { id, type, url, title } = Object(value);
  const isTarget = typeof id === "string" && TARGET_ID.test(id) && typeof type === "string" &&
    typeof url === "string";
  if (!isTarget) throw new Error("the browser answered what is no target");
  return { id, type, url, ...(typeof title === "string" ? { title } : {}) };
}

/** The windows and tabs in an answer to /json/list. @throws {Error} when it is none. */
export function readPages(answer: string): Target[] {
  const list: unknown = JSON.parse(answer);
  if (!Array.isArray(list)) throw new Error("the browser answered no list");
  // it also has targets of type browser_ui, worker, …; the address bar's own turn to "page" once it was used
  const isPage = ({ type, url }: Target) => type === "page" && !/^chrome:\/\/[^/]*\.top-chrome\//.test(url);
  return list.filter((one) => Object(one).type === "page").map(readTarget).filter(isPage);
}

/** The browser's windows and tabs, the last used first. @throws {Error} when the browser does not answer. */
export async function pageTargets(profile: string): Promise<Target[]> {
  return readPages(await ask(profile, "list"));
}

/** Opens a blank tab. @throws {Error} when the browser does not answer. */
export async function openTab(profile: string): Promise<Target> {
  return readTarget(JSON.parse(await ask(profile, "new?about:blank", "PUT")));
}

/** Closes a tab. @throws {Error} when the browser does not answer, or has no such tab. */
export async function closeTab(profile: string, id: string): Promise<void> {
  // not compared afterwards: with its last tab the browser ends
  await askDevtools(await devtoolsPort(profile), `close/${id}`);
}

/** Brings a tab to the front. @throws {Error} when the browser does not answer, or has no such tab. */
export async function showTab(profile: string, id: string): Promise<void> {
  await ask(profile, `activate/${id}`);
}

/** Whether the browser's main process answers within the limit. */
export function isAnswering(profile: string, limitMs: number): Promise<boolean> {
  return happensWithin(limitMs, ask(profile, "version"));
}

/** The browser's page; a kiosk has one. @throws {Error} when the browser does not answer. */
export async function pageTarget(profile: string): Promise<Target> {
  const [page] = await pageTargets(profile);
  if (!page) throw new Error("the browser has no page");
  return page;
}

type Listener = (method: string, params: Record<string, unknown>) => void;

/** A connection to one page. `using` closes it. */
export class DevTools implements Disposable, AsyncDisposable {
  #socket: WebSocket;
  #next = 1;
  #waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  #listeners = new Set<Listener>();
  /** Gets the events of the domains that were enabled. */
  onevent: Listener = () => {};
  /** Resolves when the connection has ended, whoever ended it. */
  readonly ended: Promise<void>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      if (data.length > MAX_ANSWER) return socket.close();
      const { id, result, error, method, params } = JSON.parse(data);
      if (id === undefined) {
        for (const listener of this.#listeners) listener(method, params);
        return this.onevent(method, params);
      }
      const call = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) call?.reject(new Error(error.message));
      else call?.resolve(result as never);
    };
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    socket.onclose = () => {
      ended.resolve();
      for (const { reject } of this.#waiting.values()) reject(new Error("the browser closed the connection"));
      this.#waiting.clear();
    };
  }

  /** Connects to the page of the browser with this profile. @throws {Error} when it cannot within 10 s. */
  static async connect(profile: string): Promise<DevTools> {
    return await DevTools.to(profile, await pageTarget(profile));
  }

  /** Connects to one page. @throws {Error} when it cannot within 10 s. */
  static async to(profile: string, { id }: Target): Promise<DevTools> {
    const port = await devtoolsPort(profile);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/devtools/page/${id}`);
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        socket.close();
        reject(new Error("the browser did not accept the connection"));
      }, ANSWER_MS);
      socket.onopen = () => (clearTimeout(timer), resolve());
      socket.onerror = () => (clearTimeout(timer), reject(new Error("the browser refused the connection")));
    });
    try {
      await requireSame(profile, port);
    } catch (error) {
      socket.close();
      throw error;
    }
    return new DevTools(socket);
  }

  /** Whether commands can be sent. */
  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Events beside `onevent`, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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

  /**
   * The value of an expression in the page.
   * @param where an isolated world's id: of one document, where the page's own scripts have changed nothing.
   * @throws {Error} what the page throws.
   */
  async evaluate<Value>(expression: string, where?: string): Promise<Value> {
    interface Answer {
      result: { value: Value };
      exceptionDetails?: { text: string };
    }
    const place = where === undefined ? {} : { uniqueContextId: where };
    const params = { expression, returnByValue: true, ...place };
    const answer = await this.send<Answer>("Runtime.evaluate", params);
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text);
    return answer.result.value;
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  /** Closes the connection and waits for its end, which a browser that hangs does not answer. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await happensWithin(CLOSE_MS, this.ended);
  }
}

/** What the page watchdog needs of a browser, which is named by its profile. */
export interface BrowserControl {
  answers(profile: string, limitMs: number): Promise<boolean>;
  pages(profile: string): Promise<Target[]>;
  connect(profile: string, page: Target): Promise<DevTools>;
  openTab(profile: string): Promise<Target>;
  closeTab(profile: string, id: string): Promise<void>;
  showTab(profile: string, id: string): Promise<void>;
}

/** The real browsers. */
export const chromium: BrowserControl = {
  answers: isAnswering,
  pages: pageTargets,
  connect: DevTools.to,
  openTab,
  closeTab,
  showTab,
};
