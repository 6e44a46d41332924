/**
 * What the streams' pages have stored goes with the streams. The node that runs a stream leaves it in the cluster, and the
 * browser of the next node goes on from it. So a sign-in that a person has made by VNC survives a move.
 */
import type { Broker } from "../machine/broker/protocol.ts";
import { AwayError, type Blobs } from "./buckets.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { LiveStream } from "../live/live_stream.ts";
import type { StreamId } from "../model/id.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { KnownProfile } from "./cluster_streams.ts";
import type { Stored, TellStored } from "./placement.ts";
import type { ClusterView } from "./view.ts";

export interface ProfilesParts {
  /** Says which streams are this node's, and where profiles are left. */
  view: Pick<ClusterView, "here" | "owner" | "profiles" | "streams"> & { own: { ids(): Iterable<StreamId> } };
  broker: Pick<Broker, "pack" | "unpack">;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
}

/** Milliseconds after a start or a visit until Chromium has written the cookies: it does so every 30 s. */
const WRITTEN_MS = 35_000;
/** Milliseconds from a start in which its page opens. */
const OPEN_MS = 60_000;
/** Milliseconds between two savings without a start or a visit, and after a saving that failed. */
const [EVERY_MS, AGAIN_MS] = [3_600_000, 10_000];
/** Milliseconds that a stream waits for its saving before it moves: as long as a stream takes that has just been started. */
const LEAVE_MS = OPEN_MS + WRITTEN_MS + 5000;
/** Milliseconds without a question whether a stream may leave, after which it stays. */
const ASKED_MS = 5000;
const ROUND_MS = 1000;

export class Profiles implements Part, Stored {
  #parts: ProfilesParts;
  #saving: Promise<void> | null = null;
  /** The streams of this machine; null: they are not made yet. */
  #streams: Pick<Fleet, "find"> | null = null;
  #loop = new Loop("the pages' stored data was not saved for other nodes");

  constructor(parts: ProfilesParts) {
    this.#parts = parts;
  }

  /** Takes the streams whose profiles are saved. Is called once, before `start`. */
  savesFor(streams: Pick<Fleet, "find">): void {
    this.#streams = streams;
  }

  start(): void {
    this.#loop.start(ROUND_MS, () => this.tick());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.settled();
  }

  /** Resolves when the saving under way has ended. */
  async settled(): Promise<void> {
    await this.#saving;
  }

  /** Saves a profile that is due. */
  tick(): void {
    const { view, elapsed } = this.#parts;
    for (const id of view.own.ids()) {
      const known = this.#of(id);
      const live = this.#streams?.find(id);
      const startedAt = live?.spec?.steadyStart ?? -Infinity;
      // a page gives cookies as soon as it is there
      const isOpening = elapsed() - startedAt < OPEN_MS && !live?.page?.isShown;
      known.visitedAt = live?.viewers || isOpening ? elapsed() : Math.max(known.visitedAt, startedAt);
    }
    const store = view.profiles;
    if (this.#saving || !store) return;
    const known = [...view.streams].flatMap(([id, { profile }]) =>
      profile ? this.#streams?.find(id) ?? [] : []
    );
    const due = known.find((live) => this.#isDue(live));
    if (due) this.#saving = this.#save(due, store).finally(() => this.#saving = null);
  }

  /** Whether another node may take a stream: its profile is saved as it is now, or cannot be saved. */
  mayLeave(id: StreamId): boolean {
    const { view, elapsed } = this.#parts;
    if (!view.profiles || !this.#streams?.find(id)?.spec) return true;
    const known = this.#of(id);
    const now = elapsed();
    if (known.leaving === null || now - known.leaving.askedAt > ASKED_MS) {
      known.leaving = { since: now, askedAt: now };
    }
    known.leaving.askedAt = now;
    if (known.isOwed || now - known.leaving.since > LEAVE_MS) return true;
    return known.savedAt >= Math.max(known.leaving.since, known.visitedAt + WRITTEN_MS);
  }

  async bring(id: StreamId, tell: TellStored): Promise<void> {
    const { view, broker } = this.#parts;
    const store = view.profiles;
    if (!store) return;
    const known = this.#of(id);
    try {
      const left = await store.get(id);
      const kept = left && opened(left);
      known.isOwed = false;
      if (!kept || kept.node === view.here) return;
      known.isOwed = true;
      await broker.unpack(id, kept.packed);
      known.isOwed = false;
      tell(`The page's stored data came along from the node ${kept.node}: sign-ins go on.`);
      // from now on this node's profile is the newest
      await store.put(id, closed(view.here, kept.packed));
      known.digest = await digestOf(kept.packed);
    } catch (error) {
      known.isOwed ||= error instanceof AwayError && known.digest === null;
      if (!known.isOwed) return void log("warn", "not kept", { stream: id, error: errorText(error) });
      const why = `The page's stored data could not be brought to this node (${errorText(error)}).`;
      tell(`${why} The stream's next start tries it again.`, "warn");
    }
  }

  async emptied(id: StreamId): Promise<void> {
    this.#parts.view.streams.of(id).profile = null;
    await this.#parts.view.profiles?.remove(id).catch((error) =>
      log("warn", "a page's stored data is left in the cluster", { stream: id, error: errorText(error) })
    );
  }

  #of(id: StreamId): KnownProfile {
    return this.#parts.view.streams.of(id).profile ??= {
      visitedAt: -Infinity,
      savedAt: -Infinity,
      dueAt: this.#parts.elapsed(),
      leaving: null,
      digest: null,
      isOwed: false,
      problem: null,
    };
  }

  #isDue(live: LiveStream): boolean {
    const { view: { here }, elapsed } = this.#parts;
    const owner = this.#parts.view.owner(live.id);
    const { visitedAt, savedAt, dueAt, leaving, isOwed } = this.#of(live.id);
    const now = elapsed();
    if (isOwed || now < dueAt) return false;
    const writtenAt = visitedAt + WRITTEN_MS;
    const isUnsaved = savedAt < writtenAt;
    // a browser that is stopped has written all
    if (!live.spec) return isUnsaved && !live.isBusy && [here, null].includes(owner);
    if (owner !== here) return false;
    const isLeaving = leaving !== null && now - leaving.askedAt <= ASKED_MS && savedAt < leaving.since;
    return now >= writtenAt && (isUnsaved || isLeaving || now - savedAt >= EVERY_MS);
  }

  async #save(live: LiveStream, store: Blobs): Promise<void> {
    const { view, broker, elapsed } = this.#parts;
    const { id } = live;
    const known = this.#of(id);
    const begunAt = elapsed();
    known.dueAt = begunAt + AGAIN_MS;
    // a stopped stream is saved once for its last visit
    const savedAt = Math.max(begunAt, known.visitedAt + WRITTEN_MS);
    try {
      const packed = await broker.pack(id);
      const digest = await digestOf(packed);
      const isOthers = ![view.here, null].includes(view.owner(id));
      // the profile may have been emptied meanwhile
      if (isOthers || view.streams.find(id)?.profile !== known) return;
      if (packed.length > 0 && digest !== known.digest) await store.put(id, closed(view.here, packed));
      Object.assign(known, { digest, savedAt, problem: null });
    } catch (error) {
      if (error instanceof AwayError) return;
      known.savedAt = savedAt;
      const problem = errorText(error);
      if (problem === known.problem) return;
      known.problem = problem;
      const text =
        `The page's stored data is not saved for other nodes: ${problem}. After a move, somebody must repeat a sign-in by hand.`;
      live.tell("stream", text, "warn");
    }
  }
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** The bytes that a node leaves: its name in a line, then the packed profile. */
function closed(node: string, packed: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${JSON.stringify({ node })}\n`);
  const bytes = new Uint8Array(head.length + packed.length);
  bytes.set(head);
  bytes.set(packed, head.length);
  return bytes;
}

/** @throws {Error} for bytes that a newer version has left in another form. */
function opened(bytes: Uint8Array<ArrayBuffer>): { node: string; packed: Uint8Array<ArrayBuffer> } {
  const end = bytes.indexOf(0x0a);
  const { node } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  return { node: String(node), packed: bytes.slice(end + 1) };
}
