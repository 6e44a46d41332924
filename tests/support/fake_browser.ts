/** A stream's browser that lives in memory: it answers what the service asks of Chromium, for pages that a test breaks. */
import { Browser } from "../../lib/browser/client.ts";
import type { Wire } from "../../lib/browser/connection.ts";
import { OPENING_MARK } from "../../lib/browser/open_page.ts";

type Values = Record<string, unknown>;

/** What the page's server answers from now on: a status, or the browser's word for what is wrong. */
export interface Site {
  status: number;
  error: string;
  isBlank: boolean;
  /** It shows its login. */
  isLogin?: boolean;
  /** The address of another program that it redirects to, for an error. */
  leadsTo?: string;
  /** Its title; absent: none. */
  title?: string;
}

export interface Tab {
  id: string;
  url: string;
  status: number;
  error: string;
  isBlank: boolean;
  isLogin?: boolean;
  leadsTo?: string;
  /** Where it is scrolled to: a part of it, say, and itself. */
  scroll: number[][];
  isOpening: boolean;
  /** It answers nothing any more. */
  isHung: boolean;
  /** It shows a dialog, and waits for its answer. */
  isAsking: boolean;
}

export const GOOD_SITE: Site = { status: 200, error: "", isBlank: false };

let tabs = 0;

/** One browser over all its lives. */
export class FakeBrowser {
  site: Site = GOOD_SITE;
  tabs: Tab[] = [];
  isRunning = false;
  /** Its main process answers nothing. */
  isHung = false;
  /** How large it shows its pages. */
  zoom = 1;
  /** How many of its own stand over the page. */
  dialogs = 0;
  /** Where its site redirects each opening to, with another number each time; empty: nowhere. */
  redirect = "";
  #opened = 0;
  #isClicked = false;
  #wasAway = false;
  #wires = new Set<{ wire: Wire; sessions: Set<string> }>();
  readonly control = new Browser(() => this.#open());

  /** A new process, with one empty window. */
  start(): void {
    this.end();
    Object.assign(this, { isRunning: true, isHung: false });
    this.#newTab("about:blank");
  }

  end(): void {
    this.isRunning = false;
    this.tabs = [];
    for (const { wire } of this.#wires) wire.close();
  }

  /** The page in front; where it is and how, is what viewers see. */
  get front(): Tab | undefined {
    return this.tabs[0];
  }

  /** What Chromium tells of a tab by itself. */
  tell(tab: Tab, method: string, params: Values = {}): void {
    for (const { wire, sessions } of this.#wires) {
      if (sessions.has(tab.id)) queueMicrotask(() => wire.onmessage({ method, params, sessionId: tab.id }));
    }
  }

  /** The page opens a dialog. */
  ask(tab: Tab): void {
    tab.isAsking = true;
    this.tell(tab, "Page.javascriptDialogOpening", { message: "Sure?", type: "confirm" });
  }

  /** A person opens something of the browser's own, such as its search. */
  openDialog(): void {
    this.dialogs++;
    this.#isClicked = false;
    this.#wasAway = true;
  }

  /** The page has the keys again. */
  clickIntoPage(): void {
    this.#isClicked = true;
  }

  closeDialog(): void {
    this.dialogs = Math.max(0, this.dialogs - 1);
  }

  #newTab(url: string): Tab {
    const id = String(++tabs).padStart(32, "0");
    const tab = {
      id,
      url,
      status: 0,
      error: "",
      isBlank: false,
      scroll: [[0, 0]],
      isOpening: false,
      isHung: false,
      isAsking: false,
    };
    this.tabs.unshift(tab);
    return tab;
  }

  /** A tab goes to an address, and gets what its server answers. */
  go(tab: Tab, url: string): void {
    const { status, error, isBlank, isLogin = false, leadsTo } = this.site;
    const isError = error !== "";
    Object.assign(tab, { url: isError ? "chrome-error://chromewebdata/" : url });
    Object.assign(tab, { status: isError ? 0 : status, error, isBlank, isLogin, leadsTo, isOpening: false });
    tab.scroll = [[0, 0]];
    this.tell(tab, "Page.frameNavigated", { frame: { id: tab.id } });
    this.tell(tab, "Page.frameStoppedLoading", { frameId: tab.id });
  }

  #open(): Promise<Wire> {
    if (!this.isRunning) return Promise.reject(new Error("there is no browser"));
    const ended = Promise.withResolvers<void>();
    const entry = { wire: {} as Wire, sessions: new Set<string>() };
    entry.wire = {
      onmessage: () => {},
      ended: ended.promise,
      send: ({ id, method, params, sessionId }) => {
        const result = this.#answer(method, params ?? {}, sessionId, entry.sessions);
        if (result) queueMicrotask(() => entry.wire.onmessage({ id, sessionId, result }));
      },
      close: () => {
        this.#wires.delete(entry);
        ended.resolve();
      },
    };
    this.#wires.add(entry);
    return Promise.resolve(entry.wire);
  }

  /** A command's result; null where nobody answers. */
  #answer(method: string, params: Values, session: string | undefined, sessions: Set<string>): Values | null {
    if (this.isHung) return null;
    const targetId = String(params.targetId ?? "");
    switch (method) {
      case "Target.getTargets":
        return { targetInfos: this.tabs.map(({ id, url }) => ({ targetId: id, type: "page", url })) };
      case "Target.createTarget":
        return { targetId: this.#newTab(String(params.url)).id };
      case "Target.closeTarget":
        this.tabs = this.tabs.filter(({ id }) => id !== targetId);
        return { success: true };
      case "Target.attachToTarget":
        sessions.add(targetId);
        return { sessionId: targetId };
    }
    const tab = this.tabs.find(({ id }) => id === session);
    if (!tab) return {};
    return tab.isHung ? null : this.#answerOfPage(tab, method, params);
  }

  #answerOfPage(tab: Tab, method: string, params: Values): Values | null {
    switch (method) {
      case "Page.createIsolatedWorld":
        return { executionContextId: 1 };
      case "Page.getFrameTree":
        return {
          frameTree: {
            frame: {
              id: tab.id,
              loaderId: tab.url,
              securityOrigin: tab.url,
              unreachableUrl: tab.error === "" ? undefined : tab.leadsTo,
            },
          },
        };
      case "Page.navigate":
        Object.assign(tab, { url: String(params.url), status: 0, error: "", isBlank: true, isOpening: true });
        return { frameId: tab.id };
      case "Page.handleJavaScriptDialog":
        tab.isAsking = false;
        this.tell(tab, "Page.javascriptDialogClosed");
        return {};
      case "Runtime.evaluate":
        return { result: { value: this.#evaluated(tab, String(params.expression)) } };
      default:
        return {};
    }
  }

  #evaluated(tab: Tab, expression: string): unknown {
    const address = /^location\.replace\((.*)\)$/.exec(expression)?.[1];
    if (address !== undefined) {
      return this.go(tab, this.redirect === "" ? JSON.parse(address) : `${this.redirect}${++this.#opened}`);
    }
    if (expression === "location.origin") return new URL(tab.url).origin;
    const places = /^\(function scrollBack[^]*\n\}\)\((\[.*?\]), function/.exec(expression)?.[1];
    if (places !== undefined) return void (tab.scroll = JSON.parse(places));
    const { url: href, status, isOpening, isBlank, scroll } = tab;
    if (expression.includes("MOST_ELEMENTS")) {
      return { form: { asks: tab.isLogin ? "password" : "nothing" }, length: 9 };
    }
    if (expression.includes(OPENING_MARK)) {
      const isAway = this.dialogs > 0 && !this.#isClicked;
      const wasAway = this.#wasAway || isAway;
      this.#wasAway = isAway;
      return { href, status, isOpening, isBlank, scroll, zoom: this.zoom, isAway, wasAway };
    }
    if (expression.startsWith("(function titleOf")) return this.site.title ?? "";
    return expression.includes("loadTimeDataRaw") ? tab.error : true;
  }
}
