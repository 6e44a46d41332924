/** The login: who may, how often, and what they get. */
import { type Config } from "../config.ts";
import { instanceName, type Paths } from "../paths.ts";
import { log } from "../system/log.ts";
import { sleep } from "../system/time.ts";
import { areRight, type Credentials, readCredentials } from "./credentials.ts";
import { LoginLimiter } from "./login_limiter.ts";
import { Session } from "./session.ts";

/** How a try ended. */
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

  /** The login of a service; null when it is off. @throws {ConfigError} when its credentials cannot be read. */
  static async open(config: Config, paths: Paths, elapsed: () => number): Promise<Login | null> {
    const credentials = await readCredentials(config);
    if (!credentials) return null;
    const session = await Session.open(paths.sessionSecretFile, credentials, instanceName(config));
    return new Login(session, credentials, new LoginLimiter(config.TIMINGS.login, elapsed));
  }

  /** Looks whether the credentials are right, after the delay that the client's failures so far cost it. */
  async attempt(address: string, typed: Credentials): Promise<LoginOutcome> {
    const attempt = this.#limiter.begin(address);
    if ("retryAfterSeconds" in attempt) return { kind: "limited", ...attempt };
    if (attempt.delayMs > 0) await sleep(attempt.delayMs);
    const isRight = areRight(typed, this.#credentials);
    attempt.done(isRight);
    // never what was typed: people type passwords into the field for the name
    if (isRight) log("info", "somebody logged in", { address });
    else log("warn", "a login failed", { address });
    return { kind: isRight ? "right" : "wrong" };
  }
}
