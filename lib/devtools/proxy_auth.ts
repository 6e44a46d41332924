/** Answers proxies that ask a page's browser for user name and password. */
import type { ProxyLogin } from "../auth/proxy_login.ts";
import type { DevTools } from "./client.ts";
import { AGAIN_MS, type Challenge } from "./http_login.ts";

export interface ProxyAuthParts {
  login: ProxyLogin;
  /** Whether nobody is in the browser, who could answer its own dialog. */
  isAlone(): boolean;
}

/** How many addresses are remembered that were answered. */
const MOST_ADDRESSES = 100;

export class ProxyAuth {
  #page: DevTools;
  #stream: { user: string; pass: string };
  #parts: ProxyAuthParts;
  /** When which address was answered: one that asks again refuses the login. */
  #given = new Map<string, number>();

  /** @param stream whose login others give to servers that ask. */
  constructor(page: DevTools, stream: { user: string; pass: string }, parts: ProxyAuthParts) {
    this.#page = page;
    this.#stream = stream;
    this.#parts = parts;
  }

  /** Answers a `Fetch.authRequired`. */
  answer(params: Record<string, unknown>): void {
    const challenge = params as unknown as Challenge;
    const authChallengeResponse = this.#responseTo(challenge);
    const { requestId } = challenge;
    this.#page.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => {});
  }

  #responseTo({ request: { url }, authChallenge: { source, origin } }: Challenge) {
    const { login: { places, user: username, pass: password }, isAlone } = this.#parts;
    const { user, pass } = this.#stream;
    // the browser's dialog would be on the air, with nobody there to answer it
    const without = { response: isAlone() ? "CancelAuth" : "Default" };
    if (source !== "Proxy") return user + pass === "" ? without : { response: "Default" };
    const at = performance.now();
    const before = this.#given.get(url);
    this.#given.delete(url);
    if (!places.includes(placeOf(origin)) || (before !== undefined && at - before < AGAIN_MS)) return without;
    this.#given.set(url, at);
    if (this.#given.size > MOST_ADDRESSES) this.#given.delete(this.#given.keys().next().value!);
    return { response: "ProvideCredentials", username, password };
  }
}

const PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** Host and port of an origin. */
function placeOf(origin: string): string {
  if (!URL.canParse(origin)) return "";
  const { hostname, port, protocol } = new URL(origin);
  return `${hostname}:${port || PORTS[protocol]}`;
}
