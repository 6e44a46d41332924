/** Looks at the streams' states and the disks, keeps the incidents, and sends receivers a message of each beginning and end. */
import { hoursOfPast } from "../channel/playlist/catchup.ts";
import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import type { Machine } from "../machine/machine.ts";
import type { Delivery, Incident, StreamStatus, WebhookInfo } from "../model/answers/shapes.ts";
import { isAtRest } from "../model/answers/status.ts";
import type { StreamId } from "../model/id.ts";
import { rewindLink, streamLinks } from "../model/links.ts";
import type { MessageKind, StoredReceiver } from "../model/receivers.ts";
import { withHosts } from "../model/secret_addresses.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { Timings } from "../timings.ts";
import { type Health, nextHealth, WELL } from "./decision.ts";
import { type MessagesFile, readMessagesFile, writeMessagesFile } from "./file.ts";
import { type IncidentFilter, Incidents } from "./incidents.ts";
import type { Message } from "./message.ts";
import { Outbox } from "./outbox.ts";
import { isWanted } from "./receiver.ts";
import { OF_VARIABLES } from "./variables.ts";
import { hostOf } from "./ways.ts";

interface ToldStream {
  id: StreamId;
  name: string;
  group: string;
  /** Whether its past is kept. */
  rewind: boolean;
}

interface Told {
  streams(): readonly ToldStream[];
  statuses(): Promise<Record<string, StreamStatus>>;
  /** The problems of this machine's disks. */
  disks(): readonly string[];
  /** Whether this machine tells of a stream: in a cluster people would be told by each node. */
  isOwn(id: StreamId): boolean;
}

export interface MessagesParts {
  /** The receivers as they are now. */
  receivers(): readonly StoredReceiver[];
  /** The proxy on the way to an address; null: there is none. */
  proxyOf(url: URL): Deno.Proxy | null;
  /** The file of the reported states, the waiting messages and the incidents. */
  path: string;
  /** The subjects of the messages. */
  told: Told;
  config: Pick<
    Config,
    "PUBLIC_URL" | "WEBHOOK_AFTER_SECONDS" | "TIMINGS" | "REWIND_GB" | "REWIND_HOURS" | "CAPTURE"
  >;
  machine: Pick<Machine, "now" | "elapsed" | "network">;
}

const MAX_REASON = 500;
/** The key of the disks, and the beginning of the keys of certificates; no stream's id has a colon. */
const DISK = "disk:";
const CERTIFICATE = "certificate:";
/** A message tells of a certificate's end a fortnight before: people who renew it by hand have time for it. */
const SOON_MS = 14 * 86_400_000;

/** The subject of messages: a stream, the end of its page's certificate, or the machine. */
interface Subject {
  key: string;
  stream: ToldStream | null;
  status: Pick<StreamStatus, "state" | "since" | "reason" | "trouble">;
}

type Asked = Omit<Subject, "status"> & { status?: Subject["status"] };

export class Messages implements Part {
  #parts: MessagesParts;
  #loop = new Loop("round of the messages failed");
  #isOver = new AbortController();
  #stop = new AbortController();
  #healths: Map<string, Health>;
  #lastRound: number | null = null;
  #outboxes = new Map<string, Outbox>();
  #incidents: Incidents;
  #saving: Promise<void> = Promise.resolve();

  private constructor(parts: MessagesParts, { told, waiting, incidents }: MessagesFile) {
    this.#parts = parts;
    this.#incidents = new Incidents(incidents);
    this.#healths = new Map(Object.entries(told).map(([key, known]) => [key, { ...WELL, ...known }]));
    const now = parts.machine.now();
    const fresh = waiting.filter(({ at, isQuiet }) => isQuiet || now - at < this.#limits.oldestMs);
    for (const { id } of parts.receivers()) {
      this.#outboxes.set(id, this.#newOutbox(id, fresh.filter(({ receiver }) => receiver === id)));
    }
  }

  static async open(parts: MessagesParts): Promise<Messages> {
    return new Messages(parts, await readMessagesFile(parts.path));
  }

  get #limits(): Timings["webhook"] {
    return this.#parts.config.TIMINGS.webhook;
  }

  start(): void {
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
    await Promise.all([...this.#outboxes.values()].map((box) => box.settled()));
    clearTimeout(giveUp);
    this.#stop.abort();
    await this.#saving;
  }

  /** The public facts about the receiver of the variables; null: there is none. */
  info(): WebhookInfo | null {
    const receiver = this.#receiver(OF_VARIABLES);
    if (!receiver) return null;
    const { way: format, secret } = receiver;
    const { waiting, last } = this.delivery(OF_VARIABLES);
    const afterSeconds = this.#parts.config.WEBHOOK_AFTER_SECONDS;
    return { host: hostOf(receiver), format, isSigned: secret !== "", afterSeconds, waiting, last };
  }

  /** How many messages wait for a receiver, and how its newest try went. */
  delivery(id: string): Pick<WebhookInfo, "waiting" | "last"> {
    const box = this.#outboxes.get(id);
    return { waiting: box?.waiting.length ?? 0, last: box?.last ?? null };
  }

  /** The chosen incidents, the newest first. */
  incidents(chosen: IncidentFilter = {}): Incident[] {
    return this.#incidents.list(chosen);
  }

  /**
   * Sends a test to a receiver at once, in one try. @param id by default that of the variables' receiver.
   * @throws {ServiceError} 409 without a receiver, 429 while a test is under way.
   */
  async test(id = OF_VARIABLES): Promise<Delivery> {
    if (!this.#receiver(id)) {
      throw new ServiceError(409, "No webhook is set. Set WEBHOOK_URL and restart the service.");
    }
    const about = { event: "test", stream: null, state: null, reason: "", downSince: null } as const;
    return await this.#outbox(id).test({ ...this.#message("/"), ...about, at: this.#parts.machine.now() });
  }

  async #round(): Promise<void> {
    const { told: { statuses }, config, machine: { now, elapsed } } = this.#parts;
    const states = await statuses().catch(() => null); // the supervisor is away; other parts log it
    if (!states) return;
    const at = elapsed();
    // without the time in which the machine slept
    const elapsedMs = Math.min(at - (this.#lastRound ?? at), 2 * this.#limits.roundMs);
    this.#lastRound = at;
    const before = this.#healths;
    this.#healths = new Map();
    let isNews = this.#forgetRemoved();
    const limits = { ...this.#limits, afterMs: config.WEBHOOK_AFTER_SECONDS * 1000 };
    for (const subject of this.#subjects(states)) {
      const { key, status } = subject;
      const health = before.get(key) ?? WELL;
      const next = status
        ? nextHealth(health, status.state, status.since ?? now(), elapsedMs, limits)
        : health;
      this.#healths.set(key, next);
      if (!status || next.told === health.told) continue;
      isNews = true;
      this.#note({ ...subject, status }, health, next);
    }
    isNews = this.#incidents.endRemoved((key) => this.#healths.has(key), now()) || isNews;
    if (isNews) this.#save();
    for (const { id } of this.#parts.receivers()) this.#outbox(id).flush();
  }

  #subjects(
    states: Record<string, StreamStatus>,
  ): Asked[] {
    const problems = this.#parts.told.disks();
    const disk = { state: problems.length > 0 ? "failed" : "running", reason: problems.join(" ") } as const;
    return [
      // a stream that was created after the request for the statuses has none
      ...this.#parts.told.streams().flatMap((stream): Asked[] => {
        const status = states[stream.id];
        const ends = status && certificateStatus(status, this.#parts.machine.now());
        return [
          { key: stream.id, stream, status },
          { key: CERTIFICATE + stream.id, stream, status: ends },
        ];
      }),
      { key: DISK, stream: null, status: disk },
    ];
  }

  /** Keeps the incident, and sends the receivers a message. */
  #note(subject: Subject, before: Health, next: Health): void {
    const { key, stream, status } = subject;
    const { told } = next;
    const now = this.#parts.machine.now();
    const downSince = before.downSince ?? next.downSince ?? now;
    const isBack = told === "running";
    const open = this.#incidents.open(key);
    const kind = isBack ? open?.kind ?? "failed" : kindOf(subject);
    const reason = isBack ? "" : withHosts(status.reason ?? "").slice(0, MAX_REASON).toWellFormed();
    const at = isBack
      ? status.since ?? now - next.upMs
      : before.told === "running"
      ? downSince
      : now - next.failedMs;
    if (isBack) {
      if (open) open.to = at;
    } else if (open) Object.assign(open, { kind, state: told, what: reason || open.what });
    else this.#incidents.begin({ kind, key, stream, state: told, what: reason, from: downSince });
    // a person stopped it
    if (status.state === "stopped" || (stream && !this.#parts.told.isOwn(stream.id))) return;
    const { id = "", name = "", group = "" } = stream ?? {};
    const event = stream === null
      ? isBack ? "disk.recovered" as const : "disk.full" as const
      : isBack
      ? "stream.recovered" as const
      : `stream.${told}` as "stream.degraded" | "stream.failed";
    const about = { event, kind, at, reason, downSince, tries: 0, ...this.#past(subject, downSince) };
    for (const receiver of this.#parts.receivers()) {
      if (!isWanted(receiver, kind, stream && group)) continue;
      this.#outbox(receiver.id).push({
        ...this.#message(stream ? streamLinks(id).stream : "/"),
        ...about,
        stream: stream && { id, name },
        state: stream && told,
      });
    }
  }

  /** Drops the messages that wait for removed receivers. */
  #forgetRemoved(): boolean {
    const gone = [...this.#outboxes.keys()].filter((id) => !this.#receiver(id));
    for (const id of gone) this.#outboxes.delete(id);
    return gone.length > 0;
  }

  /** The common fields of all messages. @param path of the page to look at. */
  #message(path: string): Pick<Message, "id" | "link"> {
    const { PUBLIC_URL: publicUrl } = this.#parts.config;
    return { id: crypto.randomUUID(), link: publicUrl && publicUrl + path };
  }

  /** The link to what a stream showed at a moment, Unix ms. */
  #past({ key, stream }: Subject, at: number): Pick<Message, "pastLink"> {
    const { config } = this.#parts;
    const isKept = stream?.rewind && key === stream.id && hoursOfPast(config) > 0;
    if (!isKept || !config.PUBLIC_URL) return {};
    return { pastLink: config.PUBLIC_URL + rewindLink(stream.id, Math.floor(at / 1000)) };
  }

  #receiver(id: string): StoredReceiver | undefined {
    return this.#parts.receivers().find((one) => one.id === id);
  }

  #outbox(id: string): Outbox {
    let box = this.#outboxes.get(id);
    if (!box) this.#outboxes.set(id, box = this.#newOutbox(id, []));
    return box;
  }

  #newOutbox(id: string, waiting: MessagesFile["waiting"]): Outbox {
    const { proxyOf, machine: { now, network } } = this.#parts;
    return new Outbox({
      receiver: () => this.#receiver(id),
      proxyOf,
      limits: this.#limits,
      now,
      network,
      over: this.#isOver.signal,
      stop: this.#stop.signal,
      onchange: () => this.#save(),
    }, waiting);
  }

  #save(): void {
    const unwell = [...this.#healths].flatMap(([key, { told, downSince, returns }]) =>
      told === "running" || downSince === null ? [] : [[key, { told, downSince, returns }] as const]
    );
    const waiting = [...this.#outboxes.values()].flatMap((box) => box.waiting);
    const file = structuredClone({
      told: Object.fromEntries(unwell),
      waiting,
      incidents: this.#incidents.all,
    });
    this.#saving = this.#saving.then(() => writeMessagesFile(this.#parts.path, file));
  }
}

/** The certificate of a page as a subject of its own: degraded if it ends soon. @param now Unix ms. */
function certificateStatus({ state, page }: StreamStatus, now: number): Subject["status"] {
  const endsAt = page?.certificateEndsAt;
  // a page that is away has told nothing new; one that has ended is a trouble of the stream
  if (endsAt === undefined || endsAt - now > SOON_MS || endsAt <= now) {
    if (isAtRest(state)) return { state: "stopped" };
    return { state: state === "running" ? "running" : "starting" };
  }
  const days = Math.floor((endsAt - now) / 86_400_000);
  const left = days === 0 ? "within a day" : `in ${days} day${days === 1 ? "" : "s"}`;
  const date = new Date(endsAt).toISOString().slice(0, 10);
  return { state: "degraded", reason: `The certificate of its page ends ${left}, on ${date}. Renew it.` };
}

/** What a problem is about, by its trouble. */
function kindOf({ key, stream, status }: Subject): MessageKind {
  if (key.startsWith(CERTIFICATE)) return "certificate";
  const trouble: string = status.trouble ?? "";
  if (stream === null || trouble === "disk-full") return "disk";
  if (trouble.startsWith("certificate-")) return "certificate";
  return /^(needs-login|signed-out|login-)/.test(trouble) ? "signedOut" : "failed";
}
