/**
 * What the streams' pages have stored goes with the streams: the node that has one leaves it in the cluster, and the next
 * one's browser goes on from it. So a sign-in that a person has made by VNC survives a move.
 */
import type { Broker } from "../broker/protocol.ts";
import { AwayError, type Blobs } from "../cluster/buckets.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { EventLevel } from "../model/answers/events.ts";
import type { StreamId } from "../model/id.ts";
import { errorText, log } from "../system/log.ts";
import type { Part } from "../system/part.ts";
import { Loop } from "../system/time.ts";

export interface ProfilesParts {
  /** This node's name. */
  node: string;
  broker: Pick<Broker, "pack" | "unpack">;
  /** Where it is left; null: the cluster is not reached. */
  blobs(): Blobs | null;
  /** The node that has a stream; null: nobody has. */
  owner(id: StreamId): string | null;
  own: { ids(): Iterable<StreamId> };
  fleet(): Pick<Fleet, "find">;
  /** Adds to a stream's events. */
  tell(id: StreamId, text: string, level?: EventLevel): void;
  elapsed(): number;
}

/** Milliseconds after a start or a visit until Chromium has written the cookies: it does so every 30 s. */
const WRITTEN_MS = 35_000;
/** Milliseconds from a start for which its page is waited for. */
const OPEN_MS = 60_000;
/** Milliseconds between two savings that neither asks for, and after one that failed. */
const [EVERY_MS, AGAIN_MS] = [3_600_000, 10_000];
/** Milliseconds that a stream which is to leave waits for being saved: as long as one that has just been started takes. */
const LEAVE_MS = OPEN_MS + WRITTEN_MS + 5000;
/** Milliseconds after which a stream is not asked to leave any more. */
const ASKED_MS = 5000;
const ROUND_MS = 1000;

interface Known {
  /**
   * All by the steady clock: when it was started or a person was last in its browser, and when the last saving began that
   * came to an end.
   */
  visitedAt: number;
  savedAt: number;
  /** No saving before. */
  dueAt: number;
  leaving: { since: number; askedAt: number } | null;
  /** Of what the cluster has; null: not known. */
  digest: string | null;
  /** What the cluster has could not be brought here: it is not written over. */
  isOwed: boolean;
  /** Why it is not kept, as it was told. */
  problem: string | null;
}

export class Profiles implements Part {
  #parts: ProfilesParts;
  #known = new Map<StreamId, Known>();
  #saving: Promise<void> | null = null;
  #loop = new Loop("what pages have stored was not kept for other nodes");

  constructor(parts: ProfilesParts) {
    this.#parts = parts;
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

  /** Saves one that is due. */
  tick(): void {
    const { own, fleet, blobs, elapsed } = this.#parts;
    for (const id of own.ids()) {
      const known = this.#of(id);
      const live = fleet().find(id);
      const startedAt = live?.spec?.steadyStart ?? -Infinity;
      // a page gives cookies as soon as it is there
      const isOpening = elapsed() - startedAt < OPEN_MS && !live?.page?.isShown;
      known.visitedAt = live?.viewers || isOpening ? elapsed() : Math.max(known.visitedAt, startedAt);
    }
    const store = blobs();
    if (this.#saving || !store) return;
    const due = [...this.#known.keys()].find((id) => this.#isDue(id));
    if (due === undefined) return;
    this.#saving = this.#save(due, store).finally(() => this.#saving = null);
  }

  /** Whether another node may take a stream: it is saved as it is now, or cannot be. */
  mayLeave(id: StreamId): boolean {
    const { fleet, blobs, elapsed } = this.#parts;
    if (!blobs() || !fleet().find(id)?.spec) return true;
    const known = this.#of(id);
    const now = elapsed();
    if (known.leaving === null || now - known.leaving.askedAt > ASKED_MS) {
      known.leaving = { since: now, askedAt: now };
    }
    known.leaving.askedAt = now;
    if (known.isOwed || now - known.leaving.since > LEAVE_MS) return true;
    return known.savedAt >= Math.max(known.leaving.since, known.visitedAt + WRITTEN_MS);
  }

  /** Brings what another node has left, before a stream's browser starts. It never fails. */
  async bring(id: StreamId): Promise<void> {
    const { node, blobs, broker, tell } = this.#parts;
    const store = blobs();
    if (!store) return;
    const known = this.#of(id);
    try {
      const left = await store.get(id);
      const kept = left && opened(left);
      known.isOwed = false;
      if (!kept || kept.node === node) return;
      known.isOwed = true;
      await broker.unpack(id, kept.packed);
      known.isOwed = false;
      tell(id, `What its page had stored at ${kept.node} was brought here: sign-ins go on.`);
      // from now on this node's is the newest
      await store.put(id, closed(node, kept.packed));
      known.digest = await digestOf(kept.packed);
    } catch (error) {
      known.isOwed ||= error instanceof AwayError && known.digest === null;
      if (!known.isOwed) return void log("warn", "not kept", { stream: id, error: errorText(error) });
      const why = `What its page had stored could not be brought here (${errorText(error)}).`;
      tell(id, `${why} The stream's next start tries it again.`, "warn");
    }
  }

  /** A stream begins as on its first day: no node goes on from what its page had stored. */
  async emptied(id: StreamId): Promise<void> {
    this.#known.delete(id);
    await this.#parts.blobs()?.remove(id).catch((error) =>
      log("warn", "what a page had stored is left in the cluster", { stream: id, error: errorText(error) })
    );
  }

  #of(id: StreamId): Known {
    let known = this.#known.get(id);
    if (!known) {
      const now = this.#parts.elapsed();
      known = {
        ...{ visitedAt: -Infinity, savedAt: -Infinity, dueAt: now, leaving: null },
        ...{ digest: null, isOwed: false, problem: null },
      };
      this.#known.set(id, known);
    }
    return known;
  }

  #isDue(id: StreamId): boolean {
    const { node, owner, fleet, elapsed } = this.#parts;
    const live = fleet().find(id);
    const { visitedAt, savedAt, dueAt, leaving, isOwed } = this.#of(id);
    const now = elapsed();
    if (!live || isOwed || now < dueAt) return false;
    const writtenAt = visitedAt + WRITTEN_MS;
    const isUnsaved = savedAt < writtenAt;
    // a browser that is stopped has written all
    if (!live.spec) return isUnsaved && !live.isBusy && [node, null].includes(owner(id));
    if (owner(id) !== node) return false;
    const isLeaving = leaving !== null && now - leaving.askedAt <= ASKED_MS && savedAt < leaving.since;
    return now >= writtenAt && (isUnsaved || isLeaving || now - savedAt >= EVERY_MS);
  }

  async #save(id: StreamId, store: Blobs): Promise<void> {
    const { node, broker, owner, tell, elapsed } = this.#parts;
    const known = this.#of(id);
    const begunAt = elapsed();
    known.dueAt = begunAt + AGAIN_MS;
    // one that is stopped is saved once for its last visit
    const savedAt = Math.max(begunAt, known.visitedAt + WRITTEN_MS);
    try {
      const packed = await broker.pack(id);
      const digest = await digestOf(packed);
      const isOthers = ![node, null].includes(owner(id));
      // emptied meanwhile
      if (isOthers || this.#known.get(id) !== known) return;
      if (packed.length > 0 && digest !== known.digest) await store.put(id, closed(node, packed));
      Object.assign(known, { digest, savedAt, problem: null });
    } catch (error) {
      if (error instanceof AwayError) return;
      known.savedAt = savedAt;
      const problem = errorText(error);
      if (problem === known.problem) return;
      known.problem = problem;
      tell(
        id,
        `Not kept for other nodes: ${problem}. After a move a sign-in by hand is to be made anew.`,
        "warn",
      );
    }
  }
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** What a node leaves: its name in a line, then what was packed. */
function closed(node: string, packed: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${JSON.stringify({ node })}\n`);
  const bytes = new Uint8Array(head.length + packed.length);
  bytes.set(head);
  bytes.set(packed, head.length);
  return bytes;
}

/** @throws {Error} for what a later version has left otherwise. */
function opened(bytes: Uint8Array<ArrayBuffer>): { node: string; packed: Uint8Array<ArrayBuffer> } {
  const end = bytes.indexOf(0x0a);
  const { node } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  return { node: String(node), packed: bytes.slice(end + 1) };
}
