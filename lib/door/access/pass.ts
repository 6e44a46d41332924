/** What one node tells another of a request that it has let in and passes on: signed with the cluster's key, for a minute. */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { isRole, type Role } from "../../role.ts";

export const PASS_HEADER = "x-browser-stream-pass";

/** What the node that was asked has found out about the request. */
export interface PassedOn {
  /** The client's address, and what every address in the answer begins with. */
  client: string;
  publicUrl: string;
  addressBase: string;
  isFromOwnPage: boolean;
  mayReadSecrets: boolean;
  /** What the client may do: the other node judges it once more. */
  role: Role;
}

interface Pass extends PassedOn {
  to: string;
  method: string;
  /** The path with its query: a pass is good for nothing else. */
  path: string;
  /** Milliseconds since 1970, by the cluster's clock. */
  until: number;
  nonce: string;
}

/** What a takeover's path ends with, which is asked for with GET. */
export const TAKEOVER_PATH = "/takeover";

/** Milliseconds: nodes know the cluster's clock to some seconds. */
const LIFE_MS = 60_000;
/** Of passes for what changes something, which count once. */
const MAX_NONCES = 10_000;

/** Makes and reads passes. */
export class Passes {
  #key: Uint8Array;
  #node: string;
  #now: () => number;
  #used = new Map<string, number>();

  /** @param secret of the cluster, at least 32 bytes. @param node this one. @param now the cluster's clock. */
  constructor(secret: Uint8Array, node: string, now: () => number) {
    this.#key = new Uint8Array(hkdfSync("sha256", secret, "", "browser-stream passes", 32));
    this.#node = node;
    this.#now = now;
  }

  /** The header's text for a request to another node. */
  make(to: string, method: string, path: string, found: PassedOn): string {
    const nonce = randomBytes(12).toString("base64url");
    const pass: Pass = { ...found, to, method, path, until: this.#now() + LIFE_MS, nonce };
    const text = encodeURIComponent(JSON.stringify(pass));
    return `${text}.${this.#mac(text)}`;
  }

  /** What a pass says; null: it is no pass of the cluster's, of another request, for another node, over, or used. */
  read(header: string, method: string, path: string): PassedOn | null {
    // the address of a client has dots, its signature has none
    const end = header.lastIndexOf(".");
    const text = header.slice(0, Math.max(0, end));
    const [own, given] = [this.#mac(text), header.slice(end + 1)].map((one) => new TextEncoder().encode(one));
    if (own.length !== given.length || !timingSafeEqual(own, given)) return null;
    const pass: Pass = JSON.parse(decodeURIComponent(text));
    if (pass.to !== this.#node || pass.method !== method || pass.path !== path) return null;
    const now = this.#now();
    if (now > pass.until || pass.until > now + 2 * LIFE_MS) return null;
    const isRead = (method === "GET" || method === "HEAD") && !path.endsWith(TAKEOVER_PATH);
    if (!isRead && !this.#isFirst(pass, now)) return null;
    const { client, publicUrl, addressBase, isFromOwnPage, mayReadSecrets, role } = pass;
    return isRole(role) ? { client, publicUrl, addressBase, isFromOwnPage, mayReadSecrets, role } : null;
  }

  #isFirst({ nonce, until }: Pass, now: number): boolean {
    if (this.#used.has(nonce)) return false;
    // the oldest are first; one that is forgotten too early is over within a minute
    for (const [old, end] of this.#used) {
      if (end >= now && this.#used.size < MAX_NONCES) break;
      this.#used.delete(old);
    }
    this.#used.set(nonce, until);
    return true;
  }

  #mac(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url");
  }
}
