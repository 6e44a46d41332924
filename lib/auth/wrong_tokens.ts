/** How often a client may show a token that opens nothing. */
import { ServiceError } from "../errors.ts";
import { LoginLimiter } from "./login_limiter.ts";

/** So many wrong tokens of one client in a minute are a mistake; more are answered with 429, but never a right one. */
const LIMITS = {
  ...{ windowMs: 60_000, maxFailures: 60, maxClients: 1000 },
  ...{ firstDelayMs: 0, longestDelayMs: 0, maxAtOnce: Infinity },
};

export class WrongTokens {
  #what: string;
  #limiter: LoginLimiter;

  /** @param what they are, in the plural, for the message. @param elapsed ms of a steady clock. */
  constructor(what: string, elapsed: () => number) {
    this.#what = what;
    this.#limiter = new LoginLimiter(LIMITS, elapsed);
  }

  /** Notes one of a client. @returns the 429 to answer with after too many, or null. */
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
