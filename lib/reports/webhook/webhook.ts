/** Looks at the streams' states, and sends the receiver a message when a stream fails and when it is back. */
import type { Config } from "../../config.ts";
import { ServiceError } from "../../errors.ts";
import type { Machine } from "../../machine.ts";
import { removeTree } from "../../os/files.ts";
import { log } from "../../system/log.ts";
import type { Part } from "../../system/part.ts";
import { Loop, sleep } from "../../system/time.ts";
import type { Timings } from "../../timings.ts";
import { type Health, nextHealth, WELL } from "./decision.ts";
import {
  readWebhookFile,
  type Waiting,
  type WebhookFile,
  writeWebhookFile,
} from "../../store/webhook_file.ts";
import type { WebhookMessage } from "./message.ts";
import type { Receiver } from "./receiver.ts";
import { send } from "./send.ts";
import type { Delivery, StreamStatus, WebhookInfo } from "../../model/answers/shapes.ts";

export interface WebhookParts {
  /** Null: there is no receiver. */
  receiver: Receiver | null;
  /** The proxy on the messages' way; null: there is none. */
  proxy?: Deno.Proxy | null;
  /** The file of the reported states and the waiting messages. */
  path: string;
  streams(): readonly { id: string; name: string }[];
  statuses(): Promise<Record<string, StreamStatus>>;
  config: Pick<Config, "PUBLIC_URL" | "WEBHOOK_AFTER_SECONDS" | "TIMINGS">;
  machine: Pick<Machine, "now" | "elapsed">;
}

const MAX_REASON = 500;

export class Webhook implements Part {
  #parts: WebhookParts;
  #loop = new Loop("webhook round failed");
  /** Aborted: no new work begins. */
  #isOver = new AbortController();
  /** Aborted: the work under way ends. */
  #stop = new AbortController();
  #healths: Map<string, Health>;
  #lastRound: number | null = null;
  #waiting: Waiting[];
  #sending: Promise<void> | null = null;
  #saving: Promise<void> = Promise.resolve();
  #isTesting = false;
  #last: WebhookInfo["last"] = null;

  private constructor(parts: WebhookParts, { told, waiting }: WebhookFile) {
    this.#parts = parts;
    this.#healths = new Map(Object.entries(told).map(([id, known]) => [id, { ...WELL, ...known }]));
    this.#waiting = waiting.filter(({ at }) => parts.machine.now() - at < this.#limits.oldestMs);
  }

  static async open(parts: WebhookParts): Promise<Webhook> {
    if (parts.receiver) return new Webhook(parts, await readWebhookFile(parts.path));
    // a receiver that is turned on again gets no old troubles
    await removeTree(parts.path);
    return new Webhook(parts, { told: {}, waiting: [] });
  }

  get #limits(): Timings["webhook"] {
    return this.#parts.config.TIMINGS.webhook;
  }

  start(): void {
    if (!this.#parts.receiver) return;
    this.#loop.start(this.#limits.roundMs, () => this.#round());
  }

  /**
   * Undelivered messages are sent after the next start. A message under way gets a moment: without its answer the
   * message would be sent again.
   */
  async stop(): Promise<void> {
    this.#isOver.abort();
    const giveUp = setTimeout(() => this.#stop.abort(), this.#limits.farewellMs);
    await this.#loop.stop();
    await this.#sending;
    clearTimeout(giveUp);
    this.#stop.abort();
    await this.#saving;
  }

  /** The public facts about the webhook; null: there is no receiver. */
  info(): WebhookInfo | null {
    const { receiver, config: { WEBHOOK_AFTER_SECONDS: afterSeconds } } = this.#parts;
    if (!receiver) return null;
    const { url: { host }, format, secret } = receiver;
    const isSigned = secret !== "";
    return { host, format, isSigned, afterSeconds, waiting: this.#waiting.length, last: this.#last };
  }

  /** Sends a test at once, in one try. @throws {ServiceError} 409 without a receiver, 429 while a test is under way. */
  async test(): Promise<Delivery> {
    if (!this.#parts.receiver) {
      throw new ServiceError(409, "No webhook is set. Set WEBHOOK_URL and start the service again.");
    }
    if (this.#isTesting) {
      throw new ServiceError(429, "A test is on its way already.", undefined, { retryAfterSeconds: 1 });
    }
    this.#isTesting = true;
    try {
      const about = { event: "test", stream: null, state: null, reason: "", downSince: null } as const;
      const message = { ...this.#message(null), ...about, at: this.#parts.machine.now() };
      const { retryAfterMs: _, ...delivery } = await this.#try(message);
      return delivery;
    } finally {
      this.#isTesting = false;
    }
  }

  async #round(): Promise<void> {
    const { streams, statuses, config, machine: { now, elapsed } } = this.#parts;
    const limits = this.#limits;
    const states = await statuses().catch(() => null); // the supervisor is away; other parts log it
    if (!states) return;
    const at = elapsed();
    // without the time in which the machine slept
    const elapsedMs = Math.min(at - (this.#lastRound ?? at), 2 * limits.roundMs);
    this.#lastRound = at;
    const before = this.#healths;
    this.#healths = new Map();
    let isNews = false;
    for (const stream of streams()) {
      const { id } = stream;
      const status = states[id];
      const health = before.get(id) ?? WELL;
      if (!status) { // created after the request for the states
        this.#healths.set(id, health);
        continue;
      }
      const next = nextHealth(health, status.state, now(), elapsedMs, {
        ...limits,
        afterMs: config.WEBHOOK_AFTER_SECONDS * 1000,
      });
      this.#healths.set(id, next);
      isNews ||= next.told !== health.told;
      const isStopped = status.state === "stopped";
      if (next.told !== health.told && !isStopped) this.#tell(stream, health, next, status.reason ?? "");
    }
    if (isNews) this.#save();
    this.#sendWaiting();
  }

  #tell({ id, name }: { id: string; name: string }, before: Health, next: Health, reason: string): void {
    const { told } = next;
    const now = this.#parts.machine.now();
    const downSince = before.downSince ?? next.downSince ?? now;
    const isBack = told === "running";
    this.#waiting.push({
      ...this.#message(id),
      event: isBack ? "stream.recovered" : `stream.${told}`,
      at: isBack ? now - next.upMs : before.told === "running" ? downSince : now - next.failedMs,
      stream: { id, name },
      state: told,
      reason: isBack ? "" : withoutAddresses(reason).slice(0, MAX_REASON).toWellFormed(),
      downSince,
      tries: 0,
    });
    const tooMany = this.#waiting.length - this.#limits.maxWaiting;
    if (tooMany <= 0) return;
    this.#waiting.splice(0, tooMany);
    log("warn", "too many messages wait for the webhook's receiver: the oldest was dropped");
  }

  /** The common fields of all messages. @param id the stream's; null for a test. */
  #message(id: string | null): Pick<WebhookMessage, "id" | "link"> {
    const { PUBLIC_URL: publicUrl } = this.#parts.config;
    const path = id === null ? "/" : `/streams/${id}/log`;
    return { id: crypto.randomUUID(), link: publicUrl && publicUrl + path };
  }

  #sendWaiting(): void {
    if (this.#waiting.length === 0) return;
    this.#sending ??= this.#sendAll().finally(() => this.#sending = null);
  }

  /** Sends messages one after the other, so that they arrive in order. */
  async #sendAll(): Promise<void> {
    const limits = this.#limits;
    for (let failures = 0; this.#waiting.length > 0 && !this.#isOver.signal.aborted;) {
      const message = this.#waiting[0];
      const { isDelivered, problem, retryAfterMs } = await this.#try(message);
      if (this.#isOver.signal.aborted && !isDelivered) return;
      failures = isDelivered ? 0 : failures + 1;
      const isGivenUp = !isDelivered && ++message.tries >= limits.maxTries;
      if (isDelivered || isGivenUp) this.#waiting = this.#waiting.filter((one) => one !== message);
      this.#save();
      if (isDelivered) continue;
      const { host } = this.#parts.receiver!.url;
      const stream = message.stream.id;
      log("warn", isGivenUp ? "a webhook message was given up" : "a webhook message was not delivered", {
        ...{ host, stream, event: message.event, tries: message.tries, problem },
      });
      const pauseMs = Math.max(limits.firstRetryMs * 2 ** (failures - 1), retryAfterMs);
      await sleep(Math.min(pauseMs, limits.longestRetryMs), this.#isOver.signal);
    }
  }

  async #try(message: WebhookMessage) {
    const { receiver, proxy, machine: { now } } = this.#parts;
    const { answerMs } = this.#limits;
    const result = await send(message, receiver!, { now: now(), answerMs, signal: this.#stop.signal, proxy });
    const { isDelivered, status, problem } = result;
    this.#last = { at: now(), isDelivered, status, problem };
    return result;
  }

  #save(): void {
    const unwell = [...this.#healths].flatMap(([id, { told, downSince, returns }]) =>
      told === "running" || downSince === null ? [] : [[id, { told, downSince, returns }] as const]
    );
    const file = { told: Object.fromEntries(unwell), waiting: structuredClone(this.#waiting) };
    this.#saving = this.#saving.then(() => writeWebhookFile(this.#parts.path, file));
  }
}

/** A reason for strangers: only the hosts of its addresses stay, as an address may hold secrets. */
export function withoutAddresses(reason: string): string {
  return reason.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, (address) => URL.parse(address)?.host ?? "a page");
}
