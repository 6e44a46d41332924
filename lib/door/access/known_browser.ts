/**
 * Browsers that somebody has logged in with before: a cookie that opens nothing. Tries to log in with it are counted by it,
 * so that wrong tries of others at the same address, such as another user of this machine, do not keep it out.
 */
import { Buffer } from "node:buffer";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { normalizedName } from "./credentials.ts";
import { cookiesOf, cookieText, type Session, SESSION_SECONDS } from "./session.ts";

const VALUE = /^([\w-]{22})\.([\w-]{43})$/;

type Signer = Pick<Session, "cookieName" | "sign">;

const cookieName = (session: Signer) => `${session.cookieName}-known`;
const codeOf = (session: Signer, id: string, user: string) =>
  session.sign(["known", id, normalizedName(user)]);

/** The Set-Cookie for a browser that the user has logged in with. Each has an id of its own. */
export function knownCookie(session: Signer, user: string, isSecure: boolean): string {
  const id = randomBytes(16).toString("base64url");
  return cookieText(cookieName(session), `${id}.${codeOf(session, id, user)}`, SESSION_SECONDS, isSecure);
}

/** The id of a browser that the user has logged in with before; null: it is not known, or of another user. */
export function knownBrowser(session: Signer, headers: Headers, user: string): string | null {
  for (const value of cookiesOf(headers, cookieName(session))) {
    const [, id, code] = VALUE.exec(value) ?? [];
    if (id === undefined) continue;
    if (timingSafeEqual(Buffer.from(code), Buffer.from(codeOf(session, id, user)))) return id;
  }
  return null;
}
