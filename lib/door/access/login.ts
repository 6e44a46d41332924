/** The login: who may log in and as what, the limit of tries, and the session. */
import { createHmac, randomBytes } from "node:crypto";
import { type Config, isLoginOn } from "../../config.ts";
import { clientNetwork, LOOPBACK } from "../../machine/net/client_address.ts";
import type { connectionOwner } from "../../machine/os/ports.ts";
import type { Role } from "../../role.ts";
import { instanceName, type Paths } from "../../paths.ts";
import type { WriteRoom } from "../../store/stored_file.ts";
import { errorText, log, logRarely } from "../../machine/tools/log.ts";
import type { Part } from "../../machine/tools/part.ts";
import { Loop, sleep } from "../../machine/tools/time.ts";
import { areRight, type Credentials, normalizedName, readCredentials } from "./credentials.ts";
import { knownBrowser } from "./known_browser.ts";
import { LoginLimiter } from "./login_limiter.ts";
import { proxyUser } from "./proxy_user.ts";
import { Session, type Signed } from "./session.ts";
import { Users } from "./users.ts";

/** Browsers send cookies to all ports of a host; a cluster's nodes have one, so that who is logged in at one is at all. */
function cookieName(config: Config): string {
  return config.CLUSTER.length === 0 ? instanceName(config) : `browser-stream-cluster-${config.CLUSTER_NAME}`;
}

/** Milliseconds between two looks for what `browser-stream user` has changed. */
const LOOK_MS = 2000;

/** Who tries to log in. */
export interface Trying {
  /** The client's address. */
  client: string;
  headers: Headers;
  /** The other end of the connection. */
  peer: Deno.Addr;
}

/** Somebody who is logged in. */
export interface Person {
  name: string;
  /** Null: a trusted proxy names somebody whose groups have no role. */
  role: Role | null;
  /** Who says so: the environment's AUTH_USER, the list of users, or a trusted proxy. */
  by: "environment" | "users" | "proxy";
  /** Of a stored user: what the session is made of. */
  user: Signed | null;
}

/** The outcome of a try. */
export type LoginOutcome =
  /** With the user to make a cookie for; null: AUTH_USER. */
  | { kind: "right"; user: Signed | null }
  | { kind: "wrong" }
  | { kind: "limited"; retryAfterSeconds: number };

export interface LoginParts {
  config: Config;
  session: Session;
  users: Users;
  /** AUTH_USER; null: the environment sets none. */
  credentials: Credentials | null;
  limiter: LoginLimiter;
  connectionOwner: typeof connectionOwner;
}

export class Login implements Part {
  readonly session: Session;
  readonly users: Users;
  /** Runs when sessions may have ended. */
  onchange: () => void = () => {};
  #parts: LoginParts;
  #isOn: boolean;
  #nameKey = randomBytes(32);
  #loop = new Loop("the users could not be read");

  constructor(parts: LoginParts) {
    this.#parts = parts;
    this.session = parts.session;
    this.users = parts.users;
    this.#isOn = needsLogin(parts);
    this.users.onchange = () => this.#changed();
  }

  /** The login of a service. @throws {ConfigError | UsersFileError} when credentials or users cannot be read. */
  static async open(
    config: Config,
    paths: Paths,
    machine: { now(): number; elapsed(): number; connectionOwner: typeof connectionOwner },
    room?: WriteRoom,
  ): Promise<Login> {
    const credentials = await readCredentials(config);
    const users = await Users.open({
      path: paths.usersFile,
      now: machine.now,
      room,
      reserved: credentials?.user,
    });
    const isOn = needsLogin({ config, users, credentials });
    const session = await Session.open(paths.sessionSecretFile, credentials, cookieName(config), isOn);
    return new Login({
      config,
      session,
      users,
      credentials,
      limiter: new LoginLimiter(config.TIMINGS.login, machine.elapsed),
      connectionOwner: (...connection) => machine.connectionOwner(...connection),
    });
  }

  /** Whether people have to log in. Once on, it stays on until the next start: who removes the last user opens nothing. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** AUTH_USER's name; null: the environment sets none. */
  get environmentUser(): string | null {
    return this.#parts.credentials?.user ?? null;
  }

  /** Who has sent a request; null: nobody who is logged in. A trusted proxy's word counts before a cookie. */
  personOf(headers: Headers, info: Pick<Deno.ServeHandlerInfo, "remoteAddr">): Person | null {
    const named = proxyUser(headers, info, this.#parts.config, (header) => this.#tellTwice(header));
    if (named) {
      const { name, role } = named;
      return { name, role: role === undefined ? this.#knownRole(name) : role, by: "proxy", user: null };
    }
    if (this.session.isIn(headers)) {
      return { name: this.environmentUser!, role: "admin", by: "environment", user: null };
    }
    const user = this.session.userIn(headers, (name) => this.#storedUser(name));
    return user ? { name: user.name, role: user.role, by: "users", user } : null;
  }

  /**
   * Checks the credentials, after the delay for the failures so far. They are counted by what others cannot share where that
   * is known: the session, or a cookie of an earlier login; else by the client's network, for each name.
   */
  async attempt({ client, headers, peer }: Trying, typed: Credentials): Promise<LoginOutcome> {
    const known = this.#knownBy(headers, typed.user);
    const key = known ?? await this.#localUser(client, peer) ?? client;
    const attempt = this.#parts.limiter.begin(key, this.#hashed(typed));
    if ("retryAfterSeconds" in attempt) return { kind: "limited", ...attempt };
    let outcome: LoginOutcome = { kind: "wrong" };
    try {
      if (attempt.delayMs > 0) await sleep(attempt.delayMs);
      outcome = await this.#checked(typed, known !== null);
    } finally {
      attempt.done(outcome.kind === "right");
    }
    // without the typed texts: people type passwords into the field for the name
    if (outcome.kind === "right") log("info", "somebody logged in", { address: client });
    else log("warn", "a login failed", { address: client });
    return outcome;
  }

  start(): void {
    this.#loop.start(LOOK_MS, () => this.users.reload());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.users.settled();
  }

  /** What no stranger shares with who is, or was, logged in as this user; null: it is neither. @param user as typed. */
  #knownBy(headers: Headers, user: string): string | null {
    const own = this.session.isIn(headers)
      ? this.environmentUser
      : this.session.userIn(headers, (name) => this.#storedUser(name))?.name;
    if (typeof own === "string" && normalizedName(own) === normalizedName(user)) return `session ${own}`;
    const browser = knownBrowser(this.session, headers, user);
    return browser === null ? null : `browser ${browser}`;
  }

  /** A user of this machine, which others cannot be: all of loopback would be one client. Null: it is not from here. */
  async #localUser(client: string, peer: Trying["peer"]): Promise<string | null> {
    if (!("hostname" in peer) || peer.hostname !== client || clientNetwork(client) !== LOOPBACK) return null;
    const uid = await this.#parts.connectionOwner(peer.hostname, peer.port, this.#parts.config.PORT);
    return uid === null ? null : `user ${uid} of this machine`;
  }

  /** The name in the limit: short, and without what was typed. */
  #hashed({ user }: Credentials): string {
    return createHmac("sha256", this.#nameKey).update(normalizedName(user)).digest("base64url").slice(0, 12);
  }

  async #checked({ user, pass }: Credentials, isKnown: boolean): Promise<LoginOutcome> {
    const { credentials } = this.#parts;
    const isOwn = credentials !== null && areRight({ user, pass }, credentials);
    // both are looked at: the time must not tell which names there are
    const stored = this.users.list().length === 0
      ? null
      : await this.users.withPassword(user, pass.slice(0, 2000), isKnown);
    if (isOwn) return { kind: "right", user: null };
    return stored && this.#storedUser(stored.name) ? { kind: "right", user: stored } : { kind: "wrong" };
  }

  #tellTwice(header: string): void {
    const remedy =
      "the proxy must remove this header from its clients' requests, and separate groups by a comma without a blank";
    logRarely(
      "warn",
      "a trusted proxy's header came twice, or has a comma with a blank; such requests count as not logged in",
      { header, remedy },
    );
  }

  /** A user of the list; AUTH_USER counts before one of its name. */
  #storedUser(name: string) {
    return name === this.environmentUser ? undefined : this.users.find(name);
  }

  /** Of a name without groups: what it has here, else the least. */
  #knownRole(name: string): Role {
    return name === this.environmentUser ? "admin" : this.users.find(name)?.role ?? "viewer";
  }

  #changed(): void {
    this.#isOn ||= needsLogin(this.#parts);
    if (this.#isOn) {
      this.session.keep().catch((error) =>
        log("error", "the sessions' secret was not kept", { error: errorText(error) })
      );
    }
    this.onchange();
  }
}

/** Whether somebody can log in, or LOGIN asks for it. */
function needsLogin(
  { config, users, credentials }: Pick<LoginParts, "config" | "users" | "credentials">,
): boolean {
  return credentials !== null || isLoginOn(config) || users.list().length > 0;
}
