/** The streams that this machine runs in a cluster, in a file that a start without the cluster goes on from. */
import { isStreamId, type StreamId } from "../model/id.ts";
import { readOrNull, writeFileAtomic } from "../machine/os/files.ts";
import { WorkQueue } from "../machine/tools/concurrency.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { ClusterStreams } from "./cluster_streams.ts";

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
  #streams: ClusterStreams;
  #saving = new WorkQueue();

  private constructor(
    file: string,
    streams: ClusterStreams,
    /** Whether this machine was no node before. */
    readonly isFirstStart: boolean,
  ) {
    this.#file = file;
    this.#streams = streams;
  }

  /** @param streams are this node's from now on, if the file has them. */
  static async open(file: string, streams: ClusterStreams): Promise<OwnList> {
    const text = await readOrNull(file);
    try {
      for (const [id, least] of parseOwnStreams(text ?? "{}")) streams.of(id).least = least;
    } catch (error) {
      log("error", "which streams were this machine's is not known", { error: errorText(error) });
    }
    return new OwnList(file, streams, text === null);
  }

  /** Writes the file, by which the next start knows that this machine is a node. */
  begin(): Promise<void> {
    return this.#save();
  }

  has(id: StreamId): boolean {
    return (this.#streams.find(id)?.least ?? null) !== null;
  }

  ids(): StreamId[] {
    return [...this.#streams].flatMap(([id, { least }]) => least === null ? [] : id);
  }

  /** The least media sequence number that the stream's channel begins with; 0 for a stream of another machine. */
  least(id: StreamId): number {
    return this.#streams.find(id)?.least ?? 0;
  }

  /** @param least the least media sequence number of the stream's channel. */
  add(id: StreamId, least: number): void {
    this.#streams.of(id).least = least;
    this.#keep();
  }

  remove(id: StreamId): void {
    this.#streams.of(id).least = null;
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
    return this.#saving.run(() => {
      const own = Object.fromEntries(this.ids().map((id) => [id, this.least(id)]));
      return writeFileAtomic(this.#file, JSON.stringify(own), 0o600);
    });
  }
}
