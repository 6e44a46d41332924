/** The streams that this machine runs in a cluster, in a file that a start without the cluster goes on from. */
import { isStreamId, type StreamId } from "../model/id.ts";
import { readOrNull, writeFileAtomic } from "../os/files.ts";
import { WorkQueue } from "../system/concurrency.ts";
import { errorText, log } from "../system/log.ts";

/** The streams of a file, each with the least media sequence number of its channel. @throws {Error} */
export function parseOwnStreams(text: string): Map<StreamId, number> {
  const kept: Record<string, unknown> = JSON.parse(text);
  return new Map(
    Object.entries(kept).flatMap(([id, least]): [StreamId, number][] =>
      isStreamId(id) && Number.isSafeInteger(least) ? [[id, Number(least)]] : []
    ),
  );
}

export class OwnList {
  #file: string;
  /** The least media sequence number of each stream's channel. */
  #least: Map<StreamId, number>;
  #saving = new WorkQueue();

  private constructor(
    file: string,
    least: Map<StreamId, number>,
    /** Whether this machine was no node before. */
    readonly isFirstStart: boolean,
  ) {
    this.#file = file;
    this.#least = least;
  }

  static async open(file: string): Promise<OwnList> {
    const text = await readOrNull(file);
    let least = new Map<StreamId, number>();
    try {
      least = parseOwnStreams(text ?? "{}");
    } catch (error) {
      log("error", "which streams were this machine's is not known", { error: errorText(error) });
    }
    return new OwnList(file, least, text === null);
  }

  /** Writes the file, by which the next start knows that this machine is a node. */
  begin(): Promise<void> {
    return this.#save();
  }

  has(id: StreamId): boolean {
    return this.#least.has(id);
  }

  ids(): StreamId[] {
    return [...this.#least.keys()];
  }

  /** The least media sequence number that the stream's channel begins with; 0 for a stream of another machine. */
  least(id: StreamId): number {
    return this.#least.get(id) ?? 0;
  }

  /** @param least the least media sequence number of the stream's channel. */
  add(id: StreamId, least: number): void {
    this.#least.set(id, least);
    this.#keep();
  }

  remove(id: StreamId): void {
    this.#least.delete(id);
    this.#keep();
  }

  /** Resolves when the file has all changes so far. */
  settled(): Promise<void> {
    return this.#saving.settled();
  }

  #keep(): void {
    this.#save().catch((error) =>
      log("error", "which streams are this machine's was not kept", { error: errorText(error) })
    );
  }

  #save(): Promise<void> {
    return this.#saving.run(() =>
      writeFileAtomic(this.#file, JSON.stringify(Object.fromEntries(this.#least)), 0o600)
    );
  }
}
