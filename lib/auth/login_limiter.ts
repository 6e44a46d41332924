/** The limit of a client's tries to log in. */
import { clientNetwork } from "../net/client_address.ts";

export interface LoginLimits {
  /** Milliseconds for which a failure counts. */
  windowMs: number;
  /** The failures after which a client is refused. */
  maxFailures: number;
  /** The delay of an answer after the first failure; each further failure doubles it, up to the longest. */
  firstDelayMs: number;
  longestDelayMs: number;
  /** The most tries of a client at once, with the waiting tries. */
  maxAtOnce: number;
  /** The most remembered clients; beyond them, the client with the oldest last try is forgotten. */
  maxClients: number;
}

/** One try of a client that was let through. */
export interface Attempt {
  /** Milliseconds to wait before the password is checked. */
  delayMs: number;
  /** Notes the outcome of the try; must be called once. */
  done(isRight: boolean): void;
}

interface Client {
  /** Milliseconds of a steady clock, the oldest first. */
  failures: number[];
  pending: number;
}

/** Counts failures by client. A client that never failed is refused only while too many of its own tries are under way. */
export class LoginLimiter {
  /** The clients in the order of their last try. */
  #clients = new Map<string, Client>();
  #limits: LoginLimits;
  #elapsed: () => number;

  constructor(limits: LoginLimits, elapsed: () => number) {
    this.#limits = limits;
    this.#elapsed = elapsed;
  }

  /** Clients that are remembered. */
  get size(): number {
    return this.#clients.size;
  }

  /**
   * Lets a try through, or gives the seconds after which the client may try again.
   * Tries under way count as failed: otherwise many at once would all be the first.
   */
  begin(address: string): Attempt | { retryAfterSeconds: number } {
    const { windowMs, maxFailures, maxAtOnce } = this.#limits;
    const key = clientNetwork(address);
    const client = this.#clients.get(key) ?? { failures: [], pending: 0 };
    client.failures = client.failures.filter((at) => this.#elapsed() - at < windowMs);
    if (client.failures.length >= maxFailures) {
      return {
        retryAfterSeconds: Math.max(1, Math.ceil((client.failures[0] + windowMs - this.#elapsed()) / 1000)),
      };
    }
    const count = client.failures.length + client.pending;
    if (client.pending >= maxAtOnce || count >= maxFailures) {
      return { retryAfterSeconds: Math.ceil(this.#delayMs(count) / 1000) || 1 };
    }
    client.pending++;
    this.#remember(key, client);
    return { delayMs: this.#delayMs(count), done: (isRight) => this.#done(key, client, isRight) };
  }

  #done(key: string, client: Client, isRight: boolean): void {
    client.pending--;
    if (isRight) client.failures = [];
    else client.failures.push(this.#elapsed());
    if (client.failures.length > 0 || client.pending > 0) this.#remember(key, client);
    else this.#clients.delete(key);
  }

  #remember(key: string, client: Client): void {
    this.#clients.delete(key);
    this.#clients.set(key, client);
    if (this.#clients.size <= this.#limits.maxClients) return;
    const [oldest] = this.#clients.keys();
    this.#clients.delete(oldest);
  }

  #delayMs(failures: number): number {
    const { firstDelayMs, longestDelayMs } = this.#limits;
    return failures === 0 ? 0 : Math.min(firstDelayMs * 2 ** (failures - 1), longestDelayMs);
  }
}

/** What is said to who has tried too often. */
export function tooManyTries(seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  return `Too many tries. Try again in ${count} ${unit}${count === 1 ? "" : "s"}.`;
}
