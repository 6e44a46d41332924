/** Answers servers that ask for user name and password by HTTP, basic or digest, before they show a page. */
import { mayReceivePassword } from "../model/login_origins.ts";
import type { DevTools } from "./client.ts";
import type { LoginReport } from "./login_report.ts";
import { MAX_TRIES } from "./login_tries.ts";

export interface PageLogin {
  url: string;
  /** More origins that may get the password, with blanks between them. */
  loginOrigins: string;
  user: string;
  pass: string;
}

export interface HttpLoginParts {
  /** Milliseconds of a steady clock. */
  elapsed(): number;
  /** Milliseconds after the first wrong try. */
  pauseMs?: number;
  /** Whether somebody is in the browser, who can answer the browser's own dialog. */
  isTakenOver?(): Promise<boolean>;
  report?(report: LoginReport): void;
}

/** What `Fetch.authRequired` tells. */
export interface Challenge {
  requestId: string;
  request: { url: string };
  authChallenge: { source?: string; origin: string };
}

type Answer = "ProvideCredentials" | "CancelAuth" | "Default";

/** How long a server that asks again says that what it got is wrong, in ms. */
export const AGAIN_MS = 30_000;

const PAUSE_MS = 5000;

export class HttpLogin {
  #login: PageLogin;
  #parts: HttpLoginParts;
  #tries = 0;
  #nextTryAt = 0;
  /** The last that asked got nothing. */
  #isRefused = false;
  /** When which address was given the password. */
  #given = new Map<string, number>();

  constructor(login: PageLogin, parts: HttpLoginParts) {
    this.#login = login;
    this.#parts = parts;
  }

  /** Answers for a page from now on. @throws {Error} when the browser does not answer. */
  async watch(page: DevTools): Promise<void> {
    page.listen((method, params) => {
      if (method === "Fetch.requestPaused") {
        page.send("Fetch.continueRequest", { requestId: params.requestId }).catch(() => {});
      } else if (method === "Fetch.authRequired") {
        this.#answer(page, params as unknown as Challenge).catch(() => {});
      } else if (method === "Page.loadEventFired") this.#haveLoaded();
    });
    await page.send("Page.enable");
    // documents alone: every request of a page would have to wait for us
    const patterns = [{ urlPattern: "*", resourceType: "Document" }];
    await page.send("Fetch.enable", { patterns, handleAuthRequests: true });
  }

  /** Whether a page that was refused may be asked for again. */
  isDue(): boolean {
    return this.#isRefused && this.#tries < MAX_TRIES && this.#parts.elapsed() >= this.#nextTryAt;
  }

  async #answer(page: DevTools, { requestId, request, authChallenge }: Challenge): Promise<void> {
    const response = await this.#decide(request.url, authChallenge);
    this.#isRefused = response === "CancelAuth";
    const { user: username, pass: password } = this.#login;
    const credentials = response === "ProvideCredentials" ? { username, password } : {};
    await page.send("Fetch.continueWithAuth", {
      requestId,
      authChallengeResponse: { response, ...credentials },
    });
  }

  async #decide(address: string, { source, origin }: Challenge["authChallenge"]): Promise<Answer> {
    const { url, loginOrigins, user, pass } = this.#login;
    const isOwn = source !== "Proxy" && URL.canParse(origin) &&
      mayReceivePassword(new URL(origin).origin, url, loginOrigins);
    // the browser's dialog would be on the air, with nobody there to answer it
    const without = await this.#parts.isTakenOver?.() ? "Default" : "CancelAuth";
    const now = this.#parts.elapsed();
    const givenAt = this.#given.get(address);
    this.#given.delete(address);
    if (!isOwn || (user === "" && pass === "")) return without;
    if (givenAt !== undefined && now - givenAt < AGAIN_MS) {
      this.#tries = Math.min(this.#tries + 1, MAX_TRIES);
      this.#nextTryAt = now + (this.#parts.pauseMs ?? PAUSE_MS) * 4 ** (this.#tries - 1);
      this.#report("failed", "the server refuses user name and password");
      return without;
    }
    if (this.#tries >= MAX_TRIES || now < this.#nextTryAt) return without;
    this.#given.set(address, now);
    return "ProvideCredentials";
  }

  /** A page that was given the password, and asked for it no more. */
  #haveLoaded(): void {
    if (this.#given.size === 0) return;
    this.#given.clear();
    this.#tries = 0;
    this.#report("succeeded", "");
  }

  #report(login: LoginReport["login"], seen: string): void {
    this.#parts.report?.({ login, seen, tries: this.#tries, isLast: this.#tries >= MAX_TRIES });
  }
}
