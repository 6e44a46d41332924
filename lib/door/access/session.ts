/** The session: one cookie, signed with the service's secret; its value is the same in all browsers of one user. */
import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readOrNull, writeFileAtomic } from "../../machine/os/files.ts";
import { notReached, type Shareable, type SharedText } from "../../store/shared_text.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import type { Credentials } from "./credentials.ts";

/** The life of a cookie that is not renewed. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60;

const SECRET = /^[0-9a-f]{64}$/;
const TOKEN = /^[\w-]{43}$/;
/** The name of a stored user, and what signs it. */
const OF_A_USER = /^([\w-]{1,400})\.([\w-]{43})$/;

/** What a stored user's session is made of: with another epoch it ends. */
export interface Signed {
  name: string;
  epoch: string;
}

/**
 * AUTH_USER's token is an HMAC-SHA256 of the credentials, a stored user's one of name and epoch, keyed by a secret that is
 * stored beside the stream list. So it survives a restart, ends with a change of the password, and ends for all users
 * with a new secret.
 */
export class Session implements Shareable {
  readonly cookieName: string;
  /** Runs when somebody has ended all sessions of a cluster. */
  onended: () => void = () => {};
  #shared: SharedText | null = null;
  #awaitsShared = false;
  /** When the disk has the newest secret of the cluster. */
  #copied: Promise<void> = Promise.resolve();
  #file: string;
  /** Of AUTH_USER; null: the environment sets none. */
  #credentials: Credentials | null;
  #secret!: string;
  /** AUTH_USER's token, computed once for each secret: every request is compared with it. */
  #token: string | null = null;
  /** Whether the secret is on the disk. */
  #isKept: boolean;

  private constructor(
    file: string,
    credentials: Credentials | null,
    cookieName: string,
    secret: string,
    isKept: boolean,
  ) {
    this.#file = file;
    this.#credentials = credentials;
    this.cookieName = cookieName;
    this.#isKept = isKept;
    this.#use(secret);
  }

  /**
   * @param file the secret's file; made where it is missing, unless nobody logs in yet.
   * @param cookieName another name for each service of a machine: browsers send cookies to all ports of a host.
   */
  static async open(
    file: string,
    credentials: Credentials | null,
    cookieName: string,
    isLoginOn = true,
  ): Promise<Session> {
    const stored = (await readOrNull(file))?.trim();
    if (stored !== undefined && SECRET.test(stored)) {
      // a restored backup may have lost the file's mode
      if ((await Deno.stat(file)).mode! & 0o077) await Deno.chmod(file, 0o600);
      return new Session(file, credentials, cookieName, stored, true);
    }
    if (stored !== undefined) {
      log("warn", "the sessions' secret was damaged; everybody has to log in again", { file });
    }
    const secret = isLoginOn ? await newSecret(file) : newSecretText();
    return new Session(file, credentials, cookieName, secret, isLoginOn);
  }

  /** Writes a secret that was not needed before: sessions outlive a restart. */
  async keep(): Promise<void> {
    if (this.#isKept || this.#shared) return;
    this.#isKept = true;
    await writeFileAtomic(this.#file, `${this.#secret}\n`, 0o600);
  }

  /**
   * Whether a request has AUTH_USER's session. A browser may send several cookies of one name; one right cookie is
   * enough.
   */
  isIn(headers: Headers): boolean {
    if (this.#token === null) return false;
    const expected = Buffer.from(this.#token);
    return cookiesOf(headers, this.cookieName).some((value) =>
      TOKEN.test(value) && timingSafeEqual(Buffer.from(value), expected)
    );
  }

  /** The stored user whose session a request has. @param find the user of a name. */
  userIn<User extends Signed>(headers: Headers, find: (name: string) => User | undefined): User | undefined {
    for (const value of cookiesOf(headers, this.cookieName)) {
      const [, encoded, code] = OF_A_USER.exec(value) ?? [];
      const user = encoded === undefined ? undefined : find(Buffer.from(encoded, "base64url").toString());
      if (user && timingSafeEqual(Buffer.from(code), Buffer.from(this.#codeOf(user)))) return user;
    }
    return undefined;
  }

  /**
   * The Set-Cookie of a login, or of a renewal.
   * @param isSecure whether the client came by https. @param user a stored one; null: AUTH_USER.
   */
  cookie(isSecure: boolean, user: Signed | null = null): string {
    const value = user
      ? `${Buffer.from(user.name).toString("base64url")}.${this.#codeOf(user)}`
      : this.#token ?? "";
    return cookieText(this.cookieName, value, SESSION_SECONDS, isSecure);
  }

  /** The Set-Cookie that makes a browser forget the session. */
  removal(isSecure: boolean): string {
    return cookieText(this.cookieName, "", 0, isSecure);
  }

  /** What opens a stream's browser at all nodes of a cluster, until all sessions are ended. @param seed of the stream's record. */
  tokenOf(id: string, seed: string): string {
    return this.sign(["vnc", id, seed]);
  }

  /** An HMAC that holds until all sessions are ended. @param parts what it is for, then what is signed. */
  sign(parts: readonly string[]): string {
    return signed(this.#secret, parts);
  }

  /** Ends all sessions, on all nodes of a cluster. @throws {ServiceError} 503 when the cluster does not answer. */
  async endAll(): Promise<void> {
    if (!this.#shared && this.#awaitsShared) throw notReached();
    if (!this.#shared) {
      this.#isKept = true;
      return this.#use(await newSecret(this.#file));
    }
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
      // for a start without the cluster; one after the other, so that the newest stays
      this.#copied = this.#copied.then(() => writeFileAtomic(this.#file, `${text}\n`, 0o600)).catch((error) =>
        log("error", "the sessions' secret was not kept", { error: errorText(error) })
      );
      if (!isFirst) this.onended();
    };
    shared.onchange = take;
    take();
  }

  settled(): Promise<void> {
    return this.#copied;
  }

  #use(secret: string): void {
    this.#secret = secret;
    const own = this.#credentials;
    this.#token = own && signed(secret, ["session", own.user, own.pass]);
  }

  #codeOf({ name, epoch }: Signed): string {
    return this.sign(["user", name, epoch]);
  }
}

/** A Set-Cookie for all addresses of the service, and for no script. */
export function cookieText(name: string, value: string, seconds: number, isSecure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

const newSecretText = () => randomBytes(32).toString("hex");

async function newSecret(file: string): Promise<string> {
  const secret = newSecretText();
  await writeFileAtomic(file, `${secret}\n`, 0o600);
  return secret;
}

function signed(secret: string, parts: readonly string[]): string {
  // as JSON, so that no other parts make the same text
  return createHmac("sha256", Buffer.from(secret, "hex")).update(JSON.stringify(parts)).digest("base64url");
}

/** The values of all cookies with this name (RFC 6265, section 5.4). */
export function cookiesOf(headers: Headers, name: string): string[] {
  const pairs = headers.get("cookie")?.split(";") ?? [];
  return pairs.map((pair) => pair.trim()).filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
