/** The limit of a client's wrong tokens. */
import { ServiceError } from "../../errors.ts";
import { LoginLimiter } from "./login_limiter.ts";

/** 60 wrong tokens of a client in a minute are a mistake; more of them get a 429, but a right token never does. */
const LIMITS = {
  windowMs: 60_000,
  maxFailures: 60,
  maxClients: 1000,
  firstDelayMs: 0,
  longestDelayMs: 0,
  maxAtOnce: Infinity,
};

export class WrongTokens {
  #what: string;
  #limiter: LoginLimiter;

  /** @param what the tokens' name in the plural, for the message. @param elapsed ms of a steady clock. */
  constructor(what: string, elapsed: () => number) {
    this.#what = what;
    this.#limiter = new LoginLimiter(LIMITS, elapsed);
  }

  /** Notes a wrong token of a client. @returns the 429 to answer with after too many, or null. */
  note(client: string): ServiceError | null {
    const attempt = this.#limiter.begin(client);
    if ("retryAfterSeconds" in attempt) {
      const message = `Too many wrong ${this.#what} came from your address. Wait a minute.`;
      return new ServiceError(429, message, undefined, attempt);
    }
    attempt.done(false);
    return null;
  }
}
