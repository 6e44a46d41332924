/** The login: its credentials, its limit of tries, and its session. */
import { type Config } from "../config.ts";
import { instanceName, type Paths } from "../paths.ts";
import { log } from "../system/log.ts";
import { sleep } from "../system/time.ts";
import { areRight, type Credentials, readCredentials } from "./credentials.ts";
import { LoginLimiter } from "./login_limiter.ts";
import { Session } from "./session.ts";

/** Browsers send cookies to all ports of a host; a cluster's nodes have one, so that who is logged in at one is at all. */
function cookieName(config: Config): string {
  return config.CLUSTER.length === 0 ? instanceName(config) : `browser-stream-cluster-${config.CLUSTER_NAME}`;
}

/** The outcome of a try. */
export type LoginOutcome =
  | { kind: "right" }
  | { kind: "wrong" }
  | { kind: "limited"; retryAfterSeconds: number };

export class Login {
  readonly session: Session;
  #credentials: Credentials;
  #limiter: LoginLimiter;

  constructor(session: Session, credentials: Credentials, limiter: LoginLimiter) {
    this.session = session;
    this.#credentials = credentials;
    this.#limiter = limiter;
  }

  /** The login of a service; null: the login is off. @throws {ConfigError} when the credentials cannot be read. */
  static async open(config: Config, paths: Paths, elapsed: () => number): Promise<Login | null> {
    const credentials = await readCredentials(config);
    if (!credentials) return null;
    const session = await Session.open(paths.sessionSecretFile, credentials, cookieName(config));
    return new Login(session, credentials, new LoginLimiter(config.TIMINGS.login, elapsed));
  }

  /** Checks the credentials, after the delay for the client's failures so far. */
  async attempt(address: string, typed: Credentials): Promise<LoginOutcome> {
    const attempt = this.#limiter.begin(address);
    if ("retryAfterSeconds" in attempt) return { kind: "limited", ...attempt };
    if (attempt.delayMs > 0) await sleep(attempt.delayMs);
    const isRight = areRight(typed, this.#credentials);
    attempt.done(isRight);
    // without the typed texts: people type passwords into the field for the name
    if (isRight) log("info", "somebody logged in", { address });
    else log("warn", "a login failed", { address });
    return { kind: isRight ? "right" : "wrong" };
  }
}
