/** The messages of one receiver: they wait, are tried again with growing pauses, and keep its quiet hours. */
import { ServiceError } from "../errors.ts";
import type { Delivery, WebhookInfo } from "../model/answers/shapes.ts";
import type { MessageKind } from "../model/receivers.ts";
import type { Waiting } from "./file.ts";
import { judgeHost, type Network } from "../net/reach.ts";
import { log, logRarely } from "../system/log.ts";
import { sleep } from "../system/time.ts";
import type { Timings } from "../timings.ts";
import { type MailRoute, sendMail } from "./mail.ts";
import { type Message, textOf, titleOf } from "./message.ts";
import type { Receiver } from "./variables.ts";
import { send, type Try } from "./send.ts";

/** A receiver, and what it is sent. */
export interface Target {
  /** "": that of the variables. */
  id: string;
  /** Where it is, for people. */
  host: string;
  route: { http: Receiver; proxy: Deno.Proxy | null } | { mail: MailRoute };
  wants(kind: MessageKind, group: string | null): boolean;
  /** @param now Unix ms. */
  isQuiet(now: number): boolean;
}

export interface OutboxParts {
  /** The receiver as it is now; undefined: it was removed. */
  target(): Target | undefined;
  limits: Timings["webhook"];
  now: () => number;
  network: Network;
  /** Aborted: no new work begins. */
  over: AbortSignal;
  /** Aborted: the work under way ends. */
  stop: AbortSignal;
  onchange(): void;
}

/** A summary's lines; a receiver cuts what is longer. */
const MAX_LINES = 50;

/** What came in quiet hours as one message; null: there is nothing to join. Pure. */
export function summaryOf(
  waiting: readonly Waiting[],
  id: string,
  now: number,
  clock: (at: number) => string,
): Waiting | null {
  const quiet = waiting.filter(({ isQuiet }) => isQuiet);
  if (quiet.length < 2) return null;
  const lines = quiet.slice(-MAX_LINES).map((one) => `${clock(one.at)} ${titleOf(one)}. ${textOf(one)}`);
  return {
    ...{
      id,
      event: "summary",
      at: now,
      stream: null,
      state: null,
      reason: lines.join("\n"),
      downSince: null,
    },
    ...{ link: quiet[0].link.replace(/\/streams\/.*$/, "/messages"), tries: 0, isQuiet: false },
    receiver: quiet[0].receiver,
  };
}

export class Outbox {
  #parts: OutboxParts;
  #waiting: Waiting[];
  #sending: Promise<void> | null = null;
  #isTesting = false;
  last: WebhookInfo["last"] = null;

  constructor(parts: OutboxParts, waiting: Waiting[]) {
    this.#parts = parts;
    this.#waiting = waiting;
  }

  get waiting(): readonly Waiting[] {
    return this.#waiting;
  }

  push(message: Omit<Waiting, "receiver" | "isQuiet">): void {
    const target = this.#parts.target();
    if (!target) return;
    this.#waiting.push({ ...message, receiver: target.id, isQuiet: target.isQuiet(this.#parts.now()) });
    const tooMany = this.#waiting.length - this.#parts.limits.maxWaiting;
    if (tooMany <= 0) return;
    this.#waiting.splice(0, tooMany);
    logRarely("warn", "too many messages wait for a receiver: the oldest was dropped", { host: target.host });
  }

  /** Sends what waits, unless it is quiet. */
  flush(): void {
    if (this.#waiting.length === 0 || this.#sending) return;
    const { target, now, onchange } = this.#parts;
    if (target()?.isQuiet(now())) return;
    const clock = (at: number) => new Date(at).toTimeString().slice(0, 5);
    const summary = summaryOf(this.#waiting, crypto.randomUUID(), now(), clock);
    if (summary) {
      this.#waiting = [summary, ...this.#waiting.filter(({ isQuiet }) => !isQuiet)];
      onchange();
    }
    this.#sending = this.#sendAll().finally(() => this.#sending = null);
  }

  /** Sends a test at once, in one try. @throws {ServiceError} 429 while one is under way. */
  async test(message: Message): Promise<Delivery> {
    if (this.#isTesting) {
      throw new ServiceError(429, "A test message is being sent already.", undefined, {
        retryAfterSeconds: 1,
      });
    }
    this.#isTesting = true;
    try {
      const { retryAfterMs: _, ...delivery } = await this.#try(message);
      return delivery;
    } finally {
      this.#isTesting = false;
    }
  }

  async settled(): Promise<void> {
    await this.#sending;
  }

  /** Sends messages one after the other, so that they arrive in order. */
  async #sendAll(): Promise<void> {
    const { limits, over, target, onchange, now } = this.#parts;
    for (let failures = 0; this.#waiting.length > 0 && !over.aborted;) {
      const known = target();
      if (!known || known.isQuiet(now())) return;
      const message = this.#waiting[0];
      const { isDelivered, problem, retryAfterMs } = await this.#try(message);
      if (over.aborted && !isDelivered) return;
      failures = isDelivered ? 0 : failures + 1;
      const isGivenUp = !isDelivered && ++message.tries >= limits.maxTries;
      if (isDelivered || isGivenUp) this.#waiting = this.#waiting.filter((one) => one !== message);
      onchange();
      if (isDelivered) continue;
      log("warn", isGivenUp ? "a webhook message was given up" : "a webhook message was not delivered", {
        ...{ host: known.host, stream: message.stream?.id ?? "", event: message.event },
        ...{ tries: message.tries, problem },
      });
      const pauseMs = Math.max(limits.firstRetryMs * 2 ** (failures - 1), retryAfterMs);
      await sleep(Math.min(pauseMs, limits.longestRetryMs), over);
    }
  }

  async #try(message: Message): Promise<Try> {
    const { target, now, stop, network, limits: { answerMs } } = this.#parts;
    const route = target()?.route;
    const failed = (problem: string) => ({ isDelivered: false, status: null, problem, retryAfterMs: 0 });
    if (!route) return failed("The receiver was removed.");
    const host = "mail" in route ? route.mail.server : route.http.url.hostname;
    // one look-up: what it gave is judged, and connected to
    const place = await judgeHost(host, network);
    const address = place.addresses?.[0];
    const result = place.problem !== null
      ? failed(`${place.problem} Messages are not sent there.`)
      : "mail" in route
      ? await sendMail(message, route.mail, { answerMs, signal: stop, address })
      : await send(message, route.http, { now: now(), answerMs, signal: stop, proxy: route.proxy, address });
    const { isDelivered, status, problem } = result;
    this.last = { at: now(), isDelivered, status, problem };
    return result;
  }
}
