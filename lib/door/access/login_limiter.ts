/** The limit of a client's tries to log in. */
import { clientNetwork } from "../../machine/net/client_address.ts";

export interface LoginLimits {
  /** Milliseconds for which a failure counts. */
  windowMs: number;
  /** The failures after which a client is refused, of one name. */
  maxFailures: number;
  /** The delay of an answer after the first failure; each further failure doubles it, up to the longest. */
  firstDelayMs: number;
  longestDelayMs: number;
  /** The most tries of a client at once, of one name, with the waiting tries. */
  maxAtOnce: number;
  /** The most remembered clients; beyond them, and their failures, the one with the oldest last try is forgotten. */
  maxClients: number;
}

/** One try of a client that was let through. */
export interface Attempt {
  /** Milliseconds to wait before the password is checked. */
  delayMs: number;
  /** Notes the outcome of the try; must be called once. */
  done(isRight: boolean): void;
}

interface Failure {
  /** Milliseconds of a steady clock. */
  at: number;
  name: string;
}

interface Client {
  /** The oldest first. */
  failures: Failure[];
  /** The names of the tries under way. */
  pending: string[];
}

/** So many names of a client are tried at once, each as often as one may be. */
const NAMES_AT_ONCE = 4;

/** The most failures of a client that are remembered: more than the delay lets it have in its time. */
const MAX_KEPT = 1000;

/**
 * Counts failures by client and name. Many may be one client, such as all users of this machine: so a name that was not
 * guessed at is delayed by others' failures, and not refused.
 */
export class LoginLimiter {
  /** The clients in the order of their last try. */
  #clients = new Map<string, Client>();
  /** The failures of all of them. */
  #kept = 0;
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
   * @param address the client's, or what else it is known by. @param name what it tries to be: a short text.
   */
  begin(address: string, name = ""): Attempt | { retryAfterSeconds: number } {
    const { windowMs, maxFailures, maxAtOnce } = this.#limits;
    const key = clientNetwork(address);
    const client = this.#clients.get(key) ?? { failures: [], pending: [] };
    this.#keep(client, client.failures.filter(({ at }) => this.#elapsed() - at < windowMs));
    const ofName = client.failures.filter((failure) => failure.name === name);
    if (ofName.length >= maxFailures) {
      const seconds = Math.ceil((ofName[0].at + windowMs - this.#elapsed()) / 1000);
      return { retryAfterSeconds: Math.max(1, seconds) };
    }
    const underWay = client.pending.filter((pending) => pending === name).length;
    const count = client.failures.length + client.pending.length;
    const isFull = client.pending.length >= maxAtOnce * NAMES_AT_ONCE;
    if (isFull || underWay >= maxAtOnce || ofName.length + underWay >= maxFailures) {
      return { retryAfterSeconds: Math.ceil(this.#delayMs(count) / 1000) || 1 };
    }
    client.pending.push(name);
    this.#remember(key, client);
    return {
      delayMs: this.#delayMs(count),
      done: (isRight) => this.#done(key, client, name, isRight),
    };
  }

  #done(key: string, client: Client, name: string, isRight: boolean): void {
    client.pending.splice(client.pending.indexOf(name), 1);
    // what a client tried as somebody else stays: an own password must not pay for guesses at another's
    const failures = isRight
      ? client.failures.filter((failure) => failure.name !== name)
      : [...client.failures, { at: this.#elapsed(), name }];
    this.#keep(client, failures.slice(-MAX_KEPT));
    if (client.failures.length > 0 || client.pending.length > 0) this.#remember(key, client);
    else this.#forget(key);
  }

  #keep(client: Client, failures: Failure[]): void {
    this.#kept += failures.length - client.failures.length;
    client.failures = failures;
  }

  #remember(key: string, client: Client): void {
    // another one took its place, where it was forgotten while its try was under way
    if (this.#clients.get(key) !== client) this.#forget(key);
    this.#clients.delete(key);
    this.#clients.set(key, client);
    const { maxClients, maxFailures } = this.#limits;
    while (this.#clients.size > maxClients || this.#kept > maxClients * maxFailures) {
      const [oldest] = this.#clients.keys();
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const client = this.#clients.get(key);
    if (client) this.#keep(client, []);
    this.#clients.delete(key);
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
