/** The messages for one receiver: they wait, are tried again with growing pauses, and keep the receiver's quiet hours. */
import { ServiceError } from "../errors.ts";
import type { Delivery, WebhookInfo } from "../model/answers/shapes.ts";
import { ownTimeZone, Zone } from "../model/plan/local_time.ts";
import type { StoredReceiver } from "../model/receivers.ts";
import type { Waiting } from "./file.ts";
import { judgeHost, type Network } from "../reach/reach.ts";
import { log, logRarely } from "../machine/tools/log.ts";
import { sleep } from "../machine/tools/time.ts";
import type { Timings } from "../timings.ts";
import { sendMail } from "./mail.ts";
import { type Message, textOf, titleOf } from "./message.ts";
import { isQuiet } from "./receiver.ts";
import { send, type Try } from "./send.ts";
import { addressOf, hostOf } from "./ways.ts";

export interface OutboxParts {
  /** The receiver as it is now; undefined: it was removed. */
  receiver(): StoredReceiver | undefined;
  /** The proxy on the way to an address; null: there is none. */
  proxyOf(url: URL): Deno.Proxy | null;
  limits: Timings["webhook"];
  now: () => number;
  network: Network;
  /** Aborted: no new work begins. */
  over: AbortSignal;
  /** Aborted: the work under way ends. */
  stop: AbortSignal;
  onchange(): void;
}

/** A summary's lines; a receiver cuts a longer text. */
const MAX_LINES = 50;

/** The messages of quiet hours as one; null: there are not several. Pure. */
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
    id,
    event: "summary",
    at: now,
    stream: null,
    state: null,
    reason: lines.join("\n"),
    downSince: null,
    link: quiet[0].link.replace(/\/streams\/.*$/, "/incidents"),
    tries: 0,
    isQuiet: false,
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
    const receiver = this.#parts.receiver();
    if (!receiver) return;
    this.#waiting.push({ ...message, receiver: receiver.id, isQuiet: this.#isQuiet(receiver) });
    const tooMany = this.#waiting.length - this.#parts.limits.maxWaiting;
    if (tooMany <= 0) return;
    this.#waiting.splice(0, tooMany);
    logRarely("warn", "too many messages wait for a receiver: the oldest was dropped", {
      host: hostOf(receiver),
    });
  }

  #isQuiet(receiver: StoredReceiver): boolean {
    return isQuiet(receiver, Zone.named(ownTimeZone()).localTime(this.#parts.now()).minute);
  }

  /** Sends the messages that wait, unless the receiver has its quiet hours. */
  flush(): void {
    if (this.#waiting.length === 0 || this.#sending) return;
    const { receiver, now, onchange } = this.#parts;
    const known = receiver();
    if (known && this.#isQuiet(known)) return;
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
    const { limits, over, receiver, onchange } = this.#parts;
    for (let failures = 0; this.#waiting.length > 0 && !over.aborted;) {
      const known = receiver();
      if (!known || this.#isQuiet(known)) return;
      const message = this.#waiting[0];
      const { isDelivered, problem, retryAfterMs } = await this.#try(message);
      if (over.aborted && !isDelivered) return;
      failures = isDelivered ? 0 : failures + 1;
      const isGivenUp = !isDelivered && ++message.tries >= limits.maxTries;
      if (isDelivered || isGivenUp) this.#waiting = this.#waiting.filter((one) => one !== message);
      onchange();
      if (isDelivered) continue;
      log("warn", isGivenUp ? "a message was given up" : "a message was not delivered", {
        host: hostOf(known),
        stream: message.stream?.id ?? "",
        event: message.event,
        tries: message.tries,
        problem,
      });
      const pauseMs = Math.max(limits.firstRetryMs * 2 ** (failures - 1), retryAfterMs);
      await sleep(Math.min(pauseMs, limits.longestRetryMs), over);
    }
  }

  async #try(message: Message): Promise<Try> {
    const { now } = this.#parts;
    const result = await this.#sent(message);
    const { isDelivered, status, problem } = result;
    this.last = { at: now(), isDelivered, status, problem };
    return result;
  }

  async #sent(message: Message): Promise<Try> {
    const { now, stop: signal, network, proxyOf, limits: { answerMs } } = this.#parts;
    const failed = (problem: string) => ({ isDelivered: false, status: null, problem, retryAfterMs: 0 });
    const receiver = this.#parts.receiver();
    if (!receiver) return failed("The receiver was removed.");
    const url = addressOf(receiver);
    const isMail = receiver.way === "mail";
    if (!isMail && !url) return failed("The receiver's address is not valid.");
    // one look-up: the address that it gave is judged, and connected to
    const place = await judgeHost(url?.hostname ?? receiver.server, network);
    if (place.problem !== null) return failed(`${place.problem} Messages are not sent there.`);
    const options = { answerMs, signal, address: place.addresses?.[0] };
    return isMail
      ? await sendMail(message, receiver, options)
      : await send(message, receiver, { ...options, now: now(), proxy: proxyOf(url!) });
  }
}
