/** The sign-in helper: fills in the login form of a stream's page, whenever the page shows one, for months. */
import { mayReceivePassword } from "../model/login_origins.ts";
import { errorText } from "../machine/tools/log.ts";
import { sleep } from "../machine/tools/time.ts";
import type { Timings } from "../timings.ts";
import type { BrowserControl, DevTools } from "../browser/client.ts";
import { documentOf, isolatedWorld, isSameDocument, type PageDocument } from "../browser/document.ts";
import { HttpLogin, type PageLogin } from "./http.ts";
import { type Form, formExpression, type Step } from "./form.ts";
import { isElsewhere, isForLogin } from "./page.ts";
import { type LoginReport, shortText } from "./report.ts";
import { decideLogin, type LoginState, type Look, NEW_STATE, nextLook, sentState } from "./tries.ts";

export interface Login extends PageLogin {
  browser: BrowserControl;
  /** Whether a person is in the browser by VNC: then the page belongs to that person. */
  isTakenOver(): Promise<boolean>;
  report(report: LoginReport): void;
  limits: Timings["signIn"];
}

/** Events after which a page may ask for a login. */
const WAKES = new Set(["Page.frameNavigated", "Page.navigatedWithinDocument", "Page.loadEventFired"]);

/** Logs in whenever the page asks for a login, until `signal` aborts. */
export async function autoLogin(login: Login, signal: AbortSignal): Promise<void> {
  const watch = new LoginWatch(login);
  login.report({ login: "watching", seen: "", tries: 0, isLast: false });
  for (let problem = ""; !signal.aborted;) {
    try {
      await using page = await login.browser.connectFirst();
      problem = "";
      await watch.follow(page, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (problem !== errorText(error)) console.error(`no login now: ${errorText(error)}`);
      problem = errorText(error);
    }
    await sleep(login.limits.waitMs * 4, signal);
  }
}

class LoginWatch {
  #login: Login;
  #http: HttpLogin;
  #state: LoginState = NEW_STATE;
  /** The loaderId of the document that was last asked for again. */
  #askedFor = "";
  /** Whether a page was checked that may have been refused before this helper, or this login, was there. */
  #hasBegun = false;
  #known: { document: PageDocument; world: string } | null = null;

  constructor(login: Login) {
    this.#login = login;
    const { limits: { pauseMs }, isTakenOver, report } = login;
    this.#http = new HttpLogin(login, { elapsed: () => performance.now(), pauseMs, isTakenOver, report });
  }

  /** Watches one page until it is gone. @throws {Error} when the browser does not answer. */
  async follow(page: DevTools, signal: AbortSignal): Promise<void> {
    const { limits, isTakenOver } = this.#login;
    let busyUntil = performance.now() + limits.searchMs;
    let wake = new AbortController();
    page.listen((method) => {
      if (!WAKES.has(method)) return;
      busyUntil = performance.now() + limits.searchMs;
      wake.abort();
    });
    page.ended.then(() => wake.abort());
    const stop = () => wake.abort();
    signal.addEventListener("abort", stop);
    try {
      await this.#http.watch(page);
      while (page.isOpen && !signal.aborted) {
        try {
          if (!await isTakenOver()) await this.#look(page);
        } catch (error) {
          this.#known = null;
          // the document is gone: the next document gets another look
          if (!page.isOpen || !/context|moved on|No frame/i.test(errorText(error))) throw error;
        }
        // this pause limits the looks at a page that keeps on moving
        await sleep(limits.waitMs, signal);
        await sleep(nextLook(this.#state, busyUntil, performance.now(), limits) - limits.waitMs, wake.signal);
        if (!signal.aborted) wake = new AbortController();
      }
    } finally {
      // the signal belongs to the program, which follows one page after the other for months
      signal.removeEventListener("abort", stop);
    }
  }

  /**
   * Asks again for a page that was refused: because the password was wrong, or before this helper could answer, which
   * left the browser's dialog open.
   * @returns whether the page was asked for again.
   */
  async #askAgain(page: DevTools, document: PageDocument): Promise<boolean> {
    const { unreachable, loaderId } = document;
    const isBehindDialog = unreachable !== null && loaderId !== this.#askedFor &&
      this.#isOwn(originOf(unreachable));
    const isDue = this.#http.isDue() || !this.#hasBegun;
    if (!isBehindDialog && !(isDue && this.#isOwn(document.origin))) return false;
    this.#hasBegun = true;
    const status = `performance.getEntriesByType("navigation")[0]?.responseStatus`;
    if (await page.evaluate<number>(status, { world: await isolatedWorld(page, document) }) !== 401) {
      return false;
    }
    this.#askedFor = loaderId;
    // the page itself reloads, as always (open_page.ts)
    await page.evaluate("location.reload()");
    return true;
  }

  #isOwn(origin: string): boolean {
    const { url, loginOrigins } = this.#login;
    return mayReceivePassword(origin, url, loginOrigins);
  }

  /** Looks once, and fills the form in if a try is due. */
  async #look(page: DevTools): Promise<void> {
    const { limits, report } = this.#login;
    const document = await documentOf(page);
    if (await this.#askAgain(page, document)) return;
    const form = await this.#run<Form>(page, document, "find");
    const look = this.#lookAt(document, form);
    const decision = decideLogin(this.#state, look, performance.now(), limits);
    this.#state = decision.state;
    if (decision.report) report(decision.report);
    if (decision.isDue && await this.#send(page, document, form)) {
      this.#state = sentState(this.#state, look, performance.now());
    }
  }

  #lookAt(document: PageDocument, form: Form): Look {
    const { user, pass, url } = this.#login;
    const { asks, message, isInUse, sendsTo, isBeside, saysLogin } = form;
    const isAway = isElsewhere(document.origin, url);
    const isThere = isForLogin(form, isAway);
    const isLogin = asks === "password" || asks === "user" || isThere;
    const wrong = isLogin ? [document.origin, sendsTo].find((origin) => !this.#isOwn(origin)) : undefined;
    const refusal = wrong === undefined
      ? null
      : shortText(`the form is at, or sends to, ${wrong}, which is not among the stream's login origins`, []);
    const isStep = asks === "nothing" && isAway && this.#isOwn(document.origin) && !isBeside && saysLogin;
    const seen = shortText(message, [pass, user]);
    return {
      asks,
      document: document.loaderId,
      message: seen,
      refusal,
      isInUse,
      isForLogin: isThere,
      isStep,
    };
  }

  /**
   * Fills the form in and sends it. Before and after, the browser and not the page names the document; the world
   * belongs to the document, and is gone when the page moves on.
   * @returns whether the form was sent.
   */
  async #send(page: DevTools, document: PageDocument, { asks }: Form): Promise<boolean> {
    const { user, pass, limits } = this.#login;
    if (!isSameDocument(document, await documentOf(page))) return false;
    const filled = await this.#run<Form>(page, document, "fill", user, asks === "password" ? pass : "");
    if (!isSameDocument(document, await documentOf(page))) return false;
    if (!this.#isOwn(filled.sendsTo)) return false;
    // pages enable their button when they have seen the typed text
    await sleep(limits.waitMs / 2);
    const isEnter = this.#state.tries % 2 === 1 && asks !== "stay";
    if (!isEnter && await this.#run<boolean>(page, document, "send", user)) return true;
    await this.#run(page, document, "focus", user);
    const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 };
    await page.send("Input.dispatchKeyEvent", { type: "keyDown", text: "\r", ...key });
    await page.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
    return true;
  }

  /** Runs a step in the document's isolated world. */
  async #run<Result>(
    page: DevTools,
    document: PageDocument,
    step: Step,
    ...secrets: string[]
  ): Promise<Result> {
    if (!this.#known || !isSameDocument(this.#known.document, document)) {
      this.#known = { document, world: await isolatedWorld(page, document) };
    }
    const expression = formExpression(step, secrets[0] ?? this.#login.user, secrets[1]);
    return await page.evaluate<Result>(expression, this.#known);
  }
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : "null";
}
