/** The streams of this machine in a cluster, in a file that a start without the cluster goes on from. */
import type { OwnStreams } from "../cluster/keeper.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import { readOrNull, writeFileAtomic } from "../os/files.ts";
import { WorkQueue } from "../system/concurrency.ts";
import { errorText, log } from "../system/log.ts";
import type { Admission } from "../fleet/admission.ts";
import type { Fleet } from "../fleet/fleet.ts";

export interface OwnStreamsParts {
  file: string;
  /** Built after the streams, which ask whether they are this machine's. */
  fleet(): Pick<Fleet, "find">;
  admission(): Pick<Admission, "refusal" | "room" | "excess" | "took">;
  /** Whether a channel is on the air: its playlist was written lately. */
  isOnAir(id: StreamId): boolean;
  /** Whether what a stream's page has stored is kept for other nodes, or cannot be. */
  mayLeave(id: StreamId): boolean;
  /** Has a stream's channel go on from the last list of the node that has it. Never fails. */
  goOn(id: StreamId, node: string): Promise<void>;
  /** Adds to a stream's events. */
  tell(id: StreamId, text: string): void;
  /** The next media sequence number of a channel, as its playlist has it; null: there is none. */
  sequence(id: StreamId): number | null;
}

/** The streams of a file, each with the least media sequence number of its channel. @throws {Error} */
export function parseOwnStreams(text: string): Map<StreamId, number> {
  const kept: Record<string, unknown> = JSON.parse(text);
  return new Map(
    Object.entries(kept).flatMap(([id, least]): [StreamId, number][] =>
      isStreamId(id) && Number.isSafeInteger(least) ? [[id, Number(least)]] : []
    ),
  );
}

export class OwnFleet implements OwnStreams {
  #parts: OwnStreamsParts;
  /** The least media sequence number of each. */
  #mine: Map<StreamId, number>;
  #saving = new WorkQueue();

  private constructor(
    parts: OwnStreamsParts,
    mine: Map<StreamId, number>,
    /** Whether this machine was no node before. */
    readonly isFirstStart: boolean,
  ) {
    this.#parts = parts;
    this.#mine = mine;
  }

  static async open(parts: OwnStreamsParts): Promise<OwnFleet> {
    const text = await readOrNull(parts.file);
    let mine = new Map<StreamId, number>();
    try {
      mine = parseOwnStreams(text ?? "{}");
    } catch (error) {
      log("error", "which streams were this machine's is not known", { error: errorText(error) });
    }
    return new OwnFleet(parts, mine, text === null);
  }

  /** Writes the file, by which the next start knows that this machine is a node. */
  begin(): Promise<void> {
    return this.#save();
  }

  has(id: StreamId): boolean {
    return this.#mine.has(id);
  }

  ids(): Iterable<StreamId> {
    return [...this.#mine.keys()];
  }

  /** The least media sequence number that a stream's channel begins with. */
  least(id: StreamId): number {
    return this.#mine.get(id) ?? 0;
  }

  isReady(id: StreamId): boolean {
    return !this.#parts.fleet().find(id)?.work.isWanted || this.#parts.isOnAir(id);
  }

  sequence(id: StreamId): number | null {
    return this.#parts.sequence(id);
  }

  take(id: StreamId, sequence: number, says: string | null): void {
    this.#mine.set(id, sequence);
    if (says !== null) this.#parts.tell(id, says);
    const stream = this.#parts.fleet().find(id)?.stream;
    if (stream) this.#parts.admission().took(stream);
    this.#follow(id);
  }

  drop(id: StreamId): void {
    this.#mine.delete(id);
    this.#follow(id);
  }

  goOn(id: StreamId, node: string): Promise<void> {
    return this.#parts.goOn(id, node);
  }

  mayLeave(id: StreamId): boolean {
    return this.#parts.mayLeave(id);
  }

  refusal(id: StreamId): string | null {
    const stream = this.#parts.fleet().find(id)?.stream;
    return stream ? this.#parts.admission().refusal(stream) : "there is no such stream";
  }

  room(): number {
    return this.#parts.admission().room();
  }

  tooMuch(): StreamId | null {
    return this.#parts.admission().excess();
  }

  /** Resolves when what was taken and dropped so far is in the file. */
  settled(): Promise<void> {
    return this.#saving.settled();
  }

  #follow(id: StreamId): void {
    void this.#parts.fleet().find(id)?.work.retryInBackground();
    this.#save().catch((error) =>
      log("error", "which streams are this machine's was not kept", { error: errorText(error) })
    );
  }

  #save(): Promise<void> {
    return this.#saving.run(() =>
      writeFileAtomic(this.#parts.file, JSON.stringify(Object.fromEntries(this.#mine)), 0o600)
    );
  }
}
