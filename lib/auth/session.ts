/** The session: one cookie, whose value is the same for all logged-in users. */
import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readOrNull, writeFileAtomic } from "../os/files.ts";
import { notReached, type Shareable, type SharedText } from "../store/shared_text.ts";
import { errorText, log } from "../system/log.ts";
import type { Credentials } from "./credentials.ts";

/** The life of a cookie that is not renewed. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60;

const SECRET = /^[0-9a-f]{64}$/;
const TOKEN = /^[\w-]{43}$/;

/**
 * The token is an HMAC-SHA256 of the credentials, keyed by a secret that is stored beside the stream list. So it survives
 * a restart, ends with a change of the password, and ends for all users with a new secret.
 */
export class Session implements Shareable {
  readonly cookieName: string;
  /** Runs when somebody has ended all sessions of a cluster. */
  onended: () => void = () => {};
  #shared: SharedText | null = null;
  #awaitsShared = false;
  #file: string;
  #credentials: Credentials;
  /** The token, computed once for each secret: every request is compared with it. */
  #token: string;

  private constructor(file: string, credentials: Credentials, cookieName: string, secret: string) {
    this.#file = file;
    this.#credentials = credentials;
    this.cookieName = cookieName;
    this.#token = tokenOf(secret, credentials);
  }

  /**
   * @param file the secret's file; made where it is missing.
   * @param cookieName another name for each service of a machine: browsers send cookies to all ports of a host.
   */
  static async open(file: string, credentials: Credentials, cookieName: string): Promise<Session> {
    const stored = (await readOrNull(file))?.trim();
    if (stored !== undefined && SECRET.test(stored)) {
      // a restored backup may have lost the file's mode
      if ((await Deno.stat(file)).mode! & 0o077) await Deno.chmod(file, 0o600);
      return new Session(file, credentials, cookieName, stored);
    }
    if (stored !== undefined) {
      log("warn", "the sessions' secret was damaged; everybody has to log in again", { file });
    }
    return new Session(file, credentials, cookieName, await newSecret(file));
  }

  /** Whether a request has the session. A browser may send several cookies of one name; one right cookie is enough. */
  isIn(headers: Headers): boolean {
    const expected = Buffer.from(this.#token);
    return cookiesOf(headers, this.cookieName).some((value) =>
      TOKEN.test(value) && timingSafeEqual(Buffer.from(value), expected)
    );
  }

  /** The Set-Cookie of a login, or of a renewal. @param isSecure whether the client came by https. */
  cookie(isSecure: boolean): string {
    return this.#cookie(this.#token, SESSION_SECONDS, isSecure);
  }

  /** The Set-Cookie that makes a browser forget the session. */
  removal(isSecure: boolean): string {
    return this.#cookie("", 0, isSecure);
  }

  /** Ends all sessions, on all nodes of a cluster. @throws {ServiceError} 503 when the cluster does not answer. */
  async endAll(): Promise<void> {
    if (!this.#shared && this.#awaitsShared) throw notReached();
    if (!this.#shared) return this.#use(await newSecret(this.#file));
    // whoever else writes one ends them all as well
    await this.#shared.put(newSecretText(), this.#shared.text);
  }

  awaitShared(): void {
    this.#awaitsShared = true;
  }

  /** Who is logged in at one node is at all. */
  async follow(shared: SharedText): Promise<void> {
    if (shared.text === null) await shared.put(newSecretText(), null);
    this.#shared = shared;
    let known = "";
    const take = () => {
      const { text } = shared;
      if (text === null || text === known || !SECRET.test(text)) return;
      const isFirst = known === "";
      known = text;
      this.#use(text);
      // for a start without the cluster
      writeFileAtomic(this.#file, `${text}\n`, 0o600).catch((error) =>
        log("error", "the sessions' secret was not kept", { error: errorText(error) })
      );
      if (!isFirst) this.onended();
    };
    shared.onchange = take;
    take();
  }

  #use(secret: string): void {
    this.#token = tokenOf(secret, this.#credentials);
  }

  #cookie(value: string, seconds: number, isSecure: boolean): string {
    const secure = isSecure ? "; Secure" : "";
    return `${this.cookieName}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  }
}

const newSecretText = () => randomBytes(32).toString("hex");

async function newSecret(file: string): Promise<string> {
  const secret = newSecretText();
  await writeFileAtomic(file, `${secret}\n`, 0o600);
  return secret;
}

function tokenOf(secret: string, { user, pass }: Credentials): string {
  // as JSON, so that no other user and password make the same text
  const message = JSON.stringify(["session", user, pass]);
  return createHmac("sha256", Buffer.from(secret, "hex")).update(message).digest("base64url");
}

/** The values of all cookies with this name (RFC 6265, section 5.4). */
function cookiesOf(headers: Headers, name: string): string[] {
  const pairs = headers.get("cookie")?.split(";") ?? [];
  return pairs.map((pair) => pair.trim()).filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
