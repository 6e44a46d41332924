/**
 * Answers servers that ask for user name and password by HTTP before they show a page, and proxies on the way to them.
 * The browser asks only the first of a page's sessions that answer logins: so each session has to do the work of all.
 */
import { createHash } from "node:crypto";
import type { ProxyLogin } from "../door/access/proxy_login.ts";
import { proxyPlace } from "../reach/proxy_server.ts";
import { mayReceivePassword } from "../model/login_origins.ts";
import type { DevTools } from "../browser/client.ts";
import type { LoginReport } from "./report.ts";
import { MAX_TRIES } from "./tries.ts";

export interface PageLogin {
  url: string;
  /** More origins that may get the password, with blanks between them. */
  loginOrigins: string;
  user: string;
  pass: string;
  /** The login for proxies. */
  proxyLogin?: ProxyLogin | null;
}

export interface HttpLoginParts {
  /** Milliseconds of a steady clock. */
  elapsed(): number;
  /** Milliseconds after the first wrong try. */
  pauseMs?: number;
  /** Whether a person is in the browser, and can answer the browser's own dialog. */
  isTakenOver?(): Promise<boolean>;
  report?(report: LoginReport): void;
}

interface Challenge {
  requestId: string;
  request: { url: string };
  authChallenge: { source?: string; origin: string };
}

interface Answer {
  response: "ProvideCredentials" | "CancelAuth" | "Default";
  username?: string;
  password?: string;
}

/** Milliseconds after a login in which a server's new question means that the login is wrong. */
const AGAIN_MS = 30_000;

const PAUSE_MS = 5000;

/** Addresses that are remembered: a page asks for a few while it loads. */
const MAX_GIVEN = 50;

export class HttpLogin {
  #login: PageLogin;
  #parts: HttpLoginParts;
  #tries = 0;
  #nextTryAt = 0;
  /** Whether the last question of a server was cancelled. */
  #isRefused = false;
  /** Which addresses got a login, by their hash, since an address may have any length; and when. */
  #given = new Map<string, { at: number; isProxy: boolean }>();

  constructor(login: PageLogin, parts: HttpLoginParts) {
    this.#login = login;
    this.#parts = parts;
  }

  /** Answers the logins of a page from now on. @throws {Error} when the browser does not answer. */
  async watch(page: DevTools): Promise<void> {
    page.listen((method, params) => {
      if (method === "Fetch.requestPaused") {
        page.send("Fetch.continueRequest", { requestId: params.requestId }).catch(() => {});
      } else if (method === "Fetch.authRequired") {
        this.answer(page, params);
      } else if (method === "Page.loadEventFired") this.#haveLoaded();
    });
    await page.send("Page.enable");
    // documents only: otherwise every request of a page would have to wait for us
    const patterns = [{ urlPattern: "*", resourceType: "Document" }];
    await page.send("Fetch.enable", { patterns, handleAuthRequests: true });
  }

  /** Whether a page that was refused may be asked for again. */
  isDue(): boolean {
    return this.#isRefused && this.#tries < MAX_TRIES && this.#parts.elapsed() >= this.#nextTryAt;
  }

  /** Answers a `Fetch.authRequired`, for a session that listens to the page's requests. */
  answer(page: DevTools, params: Record<string, unknown>): void {
    const { requestId, request, authChallenge } = params as unknown as Challenge;
    const decided = authChallenge.source === "Proxy"
      ? this.#decideProxy(request.url, authChallenge.origin)
      : this.#decide(request.url, authChallenge.origin);
    decided.then((authChallengeResponse) =>
      page.send("Fetch.continueWithAuth", { requestId, authChallengeResponse })
    ).catch(() => {});
  }

  /** The answer without a login: unless a person is there, the browser's dialog would stay on the air. */
  async #without(): Promise<Answer> {
    return { response: await this.#parts.isTakenOver?.() ? "Default" : "CancelAuth" };
  }

  /** Whether the address got a login so lately that its new question refuses that login. */
  #isRefusedBy(address: string, isProxy: boolean): boolean {
    const key = keyOf(address, isProxy);
    const given = this.#given.get(key);
    this.#given.delete(key);
    return given !== undefined && this.#parts.elapsed() - given.at < AGAIN_MS;
  }

  /** Notes that the address gets a login now; the oldest is forgotten for it. */
  #give(address: string, isProxy: boolean): void {
    const [oldest] = this.#given.keys();
    if (this.#given.size >= MAX_GIVEN) this.#given.delete(oldest);
    this.#given.set(keyOf(address, isProxy), { at: this.#parts.elapsed(), isProxy });
  }

  async #decideProxy(address: string, origin: string): Promise<Answer> {
    const { proxyLogin } = this.#login;
    const isOurs = proxyLogin && URL.canParse(origin) &&
      proxyLogin.places.includes(proxyPlace(new URL(origin)));
    if (this.#isRefusedBy(address, true) || !isOurs) return await this.#without();
    this.#give(address, true);
    return { response: "ProvideCredentials", username: proxyLogin.user, password: proxyLogin.pass };
  }

  async #decide(address: string, origin: string): Promise<Answer> {
    const { url, loginOrigins, user, pass } = this.#login;
    const isOwn = URL.canParse(origin) && mayReceivePassword(new URL(origin).origin, url, loginOrigins);
    const without = await this.#without();
    const now = this.#parts.elapsed();
    const isRefused = this.#isRefusedBy(address, false);
    this.#isRefused = without.response === "CancelAuth";
    if (!isOwn || (user === "" && pass === "")) return without;
    if (isRefused) {
      this.#tries = Math.min(this.#tries + 1, MAX_TRIES);
      this.#nextTryAt = now + (this.#parts.pauseMs ?? PAUSE_MS) * 4 ** (this.#tries - 1);
      this.#report("failed", "the server refuses user name and password");
      return without;
    }
    if (this.#tries >= MAX_TRIES || now < this.#nextTryAt) return without;
    this.#isRefused = false;
    this.#give(address, false);
    return { response: "ProvideCredentials", username: user, password: pass };
  }

  /** A loaded page whose server got the password has accepted the login. */
  #haveLoaded(): void {
    const hadPassword = [...this.#given.values()].some(({ isProxy }) => !isProxy);
    this.#given.clear();
    if (!hadPassword) return;
    this.#tries = 0;
    this.#report("succeeded", "");
  }

  #report(login: LoginReport["login"], seen: string): void {
    this.#parts.report?.({ login, seen, tries: this.#tries, isLast: this.#tries >= MAX_TRIES });
  }
}

function keyOf(address: string, isProxy: boolean): string {
  return createHash("sha256").update(`${isProxy ? "proxy" : "server"} ${address}`).digest("base64");
}
