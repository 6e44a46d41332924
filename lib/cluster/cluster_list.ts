/**
 * The stream list of a cluster, in a bucket: a record for each stream as in streams.json, and one for their order. A change is
 * written if its records are still as this node knows them; else the change is made anew from the newer records.
 */
import { badInput, ServiceError } from "../errors.ts";
import { parseStreamFile } from "../model/file.ts";
import { withNumbers } from "../model/channel.ts";
import { isStreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import { notKnown } from "../store/shared_text.ts";
import type { ListChange, StreamStore } from "../store/stream_store.ts";
import { WorkQueue } from "../machine/tools/concurrency.ts";
import { errorText, logRarely } from "../machine/tools/log.ts";
import { happensWithin } from "../machine/tools/time.ts";
import { AwayError, type Bucket, ConflictError, type Entry, OtherClusterError, parsed } from "./buckets.ts";
import { mergedOrder } from "../store/merged_order.ts";

/** No stream's id begins like this. */
const [ORDER, FOUNDING] = ["_order", "_cluster"];
/** Bytes of a record, half of what NATS takes. */
const MAX_RECORD = 512 * 1024;
/** How often a change is made that other nodes come before. */
const TRIES = 5;
/** Milliseconds until a record that another node wrote has come here. */
const NEWS_MS = 2000;

type News = Omit<Entry, "at">;

/** A record as this node knows it. */
interface Known {
  revision: number;
  /** Null: the record was removed. */
  text: string | null;
  /** The record's stream; null: the record was removed, is no stream's, or this version cannot read it. */
  stream: Stream | null;
  /** The stream as the list shows it, with its channel number. */
  shown: Stream | null;
}

type Records = ReadonlyMap<string, Known>;

interface Founding {
  id: string;
  foundedAt: string;
  /** Whether the founder has not brought all streams yet. */
  isBegun?: boolean;
}

/** A record is newer than this node knew. */
class StaleError extends Error {
  constructor(readonly key: string, readonly revision: number) {
    super(`the record ${key} is newer than ${revision}`);
  }
}

/** A record that a change writes. */
interface Write {
  key: string;
  /** Null: the record is removed. */
  text: string | null;
}

export class ClusterList implements StreamStore {
  /** Runs after each change. */
  onchange: () => void = () => {};
  #bucket: Bucket;
  /** By the records' keys: the streams' ids, and those of the order and of the founding. */
  #known = new Map<string, Known>();
  #list: readonly Stream[] = [];
  #revision = 0;
  #queue = new WorkQueue();
  #news = Promise.withResolvers<void>();

  private constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /**
   * Opens the list of a cluster, and follows it until the signal aborts.
   * @param id of the cluster, which its founder has written. @throws {OtherClusterError | AwayError}
   */
  static async open(bucket: Bucket, id: string, signal: AbortSignal): Promise<ClusterList> {
    const list = new ClusterList(bucket);
    await bucket.watch((entry) => list.#take(entry), signal);
    const founding = parsed<Founding>(list.#known.get(FOUNDING)?.text ?? null);
    if (founding === null || founding.isBegun) {
      throw new OtherClusterError("the bucket has no founding record: it is empty, or of another program");
    }
    if (founding.id !== id) throw new OtherClusterError("the bucket belongs to another cluster");
    return list;
  }

  /**
   * Founds a cluster in an empty bucket. The founding record is begun first, which fails where a cluster of another secret has
   * one, and is ended last: until then no node takes the list for a cluster's. @param streams that the cluster begins with.
   * @param fill writes the other records that the cluster begins with.
   * @throws {ConflictError} when there is a cluster already. @throws {AwayError}
   */
  static async found(
    bucket: Bucket,
    id: string,
    now: number,
    streams: readonly Stream[] = [],
    fill: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const list = new ClusterList(bucket);
    const filling = new AbortController();
    try {
      await bucket.watch((entry) => list.#take(entry), filling.signal);
      const known = list.#known.get(FOUNDING);
      if (known?.text && !parsed<Founding>(known.text)?.isBegun) throw new ConflictError(FOUNDING);
      const record: Founding = { id, foundedAt: new Date(now).toISOString() };
      const begun = JSON.stringify({ ...record, isBegun: true });
      const revision = await bucket.put(FOUNDING, begun, known?.text ? known.revision : 0);
      // a founding that was broken off has left its streams
      if (streams.length > 0) await list.change(() => streams);
      await fill();
      await bucket.put(FOUNDING, JSON.stringify(record), revision);
    } finally {
      filling.abort();
    }
  }

  get version(): string {
    return `r${this.#revision}`;
  }

  list(): readonly Stream[] {
    return this.#list;
  }

  get(id: string): Stream | undefined {
    return this.#known.get(id)?.shown ?? undefined;
  }

  /** Whether a node has removed the stream; false for a stream that this version cannot read, or that was never in the list. */
  wasRemoved(id: string): boolean {
    return this.#known.get(id)?.text === null;
  }

  change(change: ListChange): Promise<void> {
    return this.#queue.run(() => this.#change(change));
  }

  settled(): Promise<void> {
    return this.#queue.settled();
  }

  async #change(change: ListChange): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const before = this.#list;
      // a record that another node writes from here on is a conflict
      const seen = new Map(this.#known);
      const after = await change(before);
      if (after === before) return;
      const stale = await this.#write(before, withNumbers(after.toSorted((a, b) => a.order - b.order)), seen);
      if (stale === null) return;
      await this.#until(stale);
    }
    throw new ServiceError(
      409,
      "Other nodes change the same stream all the time, so nothing was changed. Try again.",
    );
  }

  /**
   * Writes a change. @param seen the records that the change was made from.
   * @returns the record that another node was first to change: then nothing was written.
   */
  async #write(
    before: readonly Stream[],
    after: readonly Stream[],
    seen: Records,
  ): Promise<StaleError | null> {
    const kept = new Set(after.map(({ id }) => id as string));
    const old = new Map<string, Stream>(before.map((stream) => [stream.id, stream]));
    const changed = after.filter((stream) => old.get(stream.id) !== stream).map((stream): Write => {
      const known = seen.get(stream.id);
      if (known?.text && !old.has(stream.id)) throw newerOnes(stream.id);
      // a token that is made from the seed opens the stream at each node, and no later stream of the same id
      const tokenSeed = known?.text ? known.stream?.tokenSeed : crypto.randomUUID();
      return { key: stream.id, text: textOf({ ...stream, tokenSeed }) };
    });
    const writes: Write[] = [
      ...changed.filter(({ key, text }) => textOf(seen.get(key)?.stream) !== text),
      ...before.filter(({ id }) => !kept.has(id)).map(({ id }) => ({ key: id, text: null })),
    ];
    for (const { text } of writes) if (text && text.length > MAX_RECORD) throw tooLong();
    const news: News[] = [];
    try {
      for (const write of writes) news.push(await this.#writeOne(write, seen));
      const ids = [before, after].map((list) => list.map(({ id }) => id as string));
      if (String(ids[0]) !== String(ids[1])) news.push(await this.#writeOrder(ids[0], ids[1]));
      news.push(...await this.#writeNumbers(after.filter((stream) => old.get(stream.id) === stream), seen));
      return null;
    } catch (error) {
      if (error instanceof AwayError) throw notKnown(error);
      if (!(error instanceof StaleError)) throw error;
      if (news.length === 0) return error;
      throw new ServiceError(
        409,
        "Another node has changed some of these streams meanwhile: look at the list, and try again.",
      );
    } finally {
      // readers see all of a change at once
      for (const entry of news) this.#keep(entry);
      if (news.length > 0) this.#publish();
    }
  }

  async #writeOne({ key, text }: Write, seen: Records): Promise<News> {
    const { revision, text: old } = known(seen.get(key));
    try {
      const written = text === null
        ? await this.#bucket.remove(key, revision)
        : await this.#bucket.put(key, text, old === null ? 0 : revision);
      return { key, text, revision: written };
    } catch (error) {
      throw error instanceof ConflictError ? new StaleError(key, revision) : error;
    }
  }

  /**
   * Writes the channel numbers of unchanged streams whose records lack them, as records of earlier versions do: else a stream
   * that this change adds or removes would move the numbers. A record that another node writes meanwhile has its next chance.
   */
  async #writeNumbers(unchanged: readonly Stream[], seen: Records): Promise<News[]> {
    const news: News[] = [];
    for (const stream of unchanged) {
      if (seen.get(stream.id)?.stream?.channelNumber === stream.channelNumber) continue;
      try {
        news.push(await this.#writeOne({ key: stream.id, text: textOf(stream) }, seen));
      } catch (error) {
        if (!(error instanceof StaleError)) throw error;
      }
    }
    return news;
  }

  /** Writes the order. What other nodes have moved meanwhile stays where this change has moved nothing. */
  async #writeOrder(before: string[], after: string[]): Promise<News> {
    for (let tries = 0;; tries++) {
      const text = JSON.stringify(mergedOrder(before, after, this.#order()));
      try {
        return await this.#writeOne({ key: ORDER, text }, this.#known);
      } catch (error) {
        if (!(error instanceof StaleError) || tries === TRIES) throw error;
        await this.#until(error);
      }
    }
  }

  #order(): string[] {
    const order = parsed<string[]>(this.#known.get(ORDER)?.text ?? null);
    return Array.isArray(order) ? order.filter(isStreamId) : [];
  }

  /** Waits for the record that another node has written. */
  async #until({ key, revision }: StaleError): Promise<void> {
    const isNew = async () => {
      while ((this.#known.get(key)?.revision ?? 0) <= revision) await this.#news.promise;
    };
    await happensWithin(NEWS_MS, isNew());
  }

  #take(entry: Entry): void {
    if (!this.#keep(entry)) return;
    this.#publish();
    const { resolve } = this.#news;
    this.#news = Promise.withResolvers();
    resolve();
  }

  /** @returns whether the record is news: a record that this node has written comes back once more. */
  #keep({ key, text, revision }: News): boolean {
    if (revision <= known(this.#known.get(key)).revision) return false;
    this.#known.set(key, { revision, text, stream: text === null ? null : streamOf(key, text), shown: null });
    this.#revision = Math.max(this.#revision, revision);
    return true;
  }

  #publish(): void {
    const places = new Map(this.#order().map((id, place) => [id, place]));
    const streams = [...this.#known.values()].flatMap(({ stream }) => stream ?? []);
    const place = ({ id }: Stream) => places.get(id) ?? places.size;
    const placed = streams.toSorted((a, b) => place(a) - place(b) || (a.id < b.id ? -1 : 1))
      .map((stream, order) => {
        if (stream.order === order) return stream;
        const placed = { ...stream, order };
        this.#known.get(stream.id)!.stream = placed;
        return placed;
      });
    this.#list = withNumbers(placed);
    for (const stream of this.#list) this.#known.get(stream.id)!.shown = stream;
    this.onchange();
  }
}

const known = (one: Known | undefined): Known =>
  one ?? { revision: 0, text: null, stream: null, shown: null };

const newerOnes = (id: string) =>
  new ServiceError(
    409,
    `A newer version has a stream "${id}", which this node cannot read. Use another name.`,
  );

const tooLong = () => badInput({ "": `A stream's settings may take ${MAX_RECORD / 1024} KiB.` });

/** The text of a stream's record; the stream's place is in the order's record. */
function textOf(stream: Stream): string;
function textOf(stream: Stream | null | undefined): string | null;
function textOf(stream: Stream | null | undefined): string | null {
  if (!stream) return null;
  const { order: _, ...record } = stream;
  return JSON.stringify(record);
}

/** The stream of a record; null, and a line in the log, where this version cannot read it: a newer one may have written it. */
function streamOf(key: string, text: string): Stream | null {
  if (!isStreamId(key)) return null;
  try {
    return parseStreamFile(JSON.stringify([{ ...JSON.parse(text), id: key }])).streams[0];
  } catch (error) {
    logRarely("error", "a stream of the cluster cannot be read here, and is left alone", {
      id: key,
      error: errorText(error),
    });
    return null;
  }
}
