/** Buckets in NATS JetStream: key-value stores (NATS' ADR-8), whose records are kept by most of the servers. */
import { jetstream, JetStreamApiError, type JetStreamClient, jetstreamManager } from "@nats-io/jetstream";
import type { StreamInfo } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { parseNatsAddress } from "../machine/net/nats_address.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { sleep, withTimeout } from "../machine/tools/time.ts";
import {
  AwayError,
  type Blobs,
  type Bucket,
  ConflictError,
  type Entry,
  type News,
  OtherClusterError,
  parsed,
  type Shared,
} from "./buckets.ts";
import { LOST_MS } from "./nodes.ts";
import { sealedBlobs, sealedBucket, sealedNews } from "./sealed_bucket.ts";

export interface Servers {
  /** Such as "nats://10.0.0.1:4222". */
  addresses: string[];
  user?: string;
  pass?: string;
  /** PEM file of the issuers whose certificates count for addresses of "tls://". */
  caFile?: string;
}

export interface BucketRules {
  /** Servers that keep each record. */
  replicas: number;
  /** Changes of a record that are kept, with the newest: 1 to 64. */
  history: number;
  /** Milliseconds after which a record is gone that no node writes again; 0: never. */
  ttlMs: number;
}

/** Milliseconds until a connection stands, and until an answer comes. */
const [CONNECT_MS, ANSWER_MS] = [5000, 5000];
/** Bytes of one piece of a blob, half of what NATS takes, and milliseconds until all pieces are there. */
const [PIECE_BYTES, BLOB_MS] = [512 * 1024, 20_000];
/** Milliseconds between two tries to reach a server, and to open a watch again. */
const AGAIN_MS = 1000;
/** Milliseconds between two looks whether a watch is behind. */
const LOOK_MS = 2000;
/** The most looks, each after AGAIN_MS, whether servers that have joined have all of a bucket. */
const MOST_LOOKS = 60;
/** JetStream's code for "wrong last sequence". */
const WRONG_SEQUENCE = 10071;
/** JetStream's code for "stream not found". */
const STREAM_NOT_FOUND = 10059;
const PREFIX = "$KV.";
/** Changes of a record that are kept: as many as nodes may write it at once. */
const HISTORY = 40;

/** The connection, which comes back by itself for as long as the process lives. @throws {AwayError} */
export async function connectNats({ addresses, user, pass, caFile }: Servers): Promise<NatsConnection> {
  try {
    return await connect({
      servers: addresses,
      // without TLS a server could ask for the login in the open
      tls: addresses.some((address) => parseNatsAddress(address)?.isTls) ? { caFile } : null,
      user,
      pass,
      name: "browser-stream",
      timeout: CONNECT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: AGAIN_MS,
      pingInterval: 5000,
      maxPingOut: 2,
    });
  } catch (error) {
    throw new AwayError(`no server of the cluster answers: ${errorText(error)}`, { cause: error });
  }
}

/** Whether JetStream has no such bucket. */
function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND;
}

export class NatsBucket implements Bucket {
  #kv: KV;
  #stream: JetStreamClient;
  #name: string;

  private constructor(kv: KV, stream: JetStreamClient, name: string) {
    this.#kv = kv;
    this.#stream = stream;
    this.#name = name;
  }

  /**
   * Opens a bucket. @param rules of the bucket that is made where it is missing; null: it must be there.
   * @throws {AwayError | OtherClusterError}
   */
  static async open(
    connection: NatsConnection,
    name: string,
    rules: BucketRules | null,
  ): Promise<NatsBucket> {
    const stream = jetstream(connection, { timeout: ANSWER_MS });
    try {
      if (rules === null) {
        const kv = await new Kvm(stream).open(name, { timeout: ANSWER_MS });
        await kv.status();
        return new NatsBucket(kv, stream, name);
      }
      const { replicas, history, ttlMs } = rules;
      const kv = await new Kvm(stream).create(name, {
        replicas,
        history,
        ttl: ttlMs,
        timeout: ANSWER_MS,
      });
      return new NatsBucket(kv, stream, name);
    } catch (error) {
      if (rules === null && isMissing(error)) throw new OtherClusterError(`there is no bucket ${name}`);
      throw new AwayError(`the bucket ${name} cannot be opened: ${errorText(error)}`, { cause: error });
    }
  }

  /** Servers that keep each record. */
  async replicas(): Promise<number> {
    return (await this.#kv.status()).replicas;
  }

  put(key: string, text: string, revision: number): Promise<number> {
    return this.#said(key, async () => {
      // all servers, those of NATS 2.9 too, let one of several nodes make a record
      if (revision === 0) return await this.#kv.create(key, text);
      return await this.#first(key, revision, await this.#kv.update(key, text, revision));
    });
  }

  remove(key: string, revision: number): Promise<number> {
    return this.#said(key, async () => await this.#first(key, revision, await this.#delete(key, revision)));
  }

  /** The package's own `delete` does not tell the revision. */
  async #delete(key: string, revision: number): Promise<number> {
    const removal = headers();
    removal.set("KV-Operation", "DEL");
    const expect = { lastSubjectSequence: revision };
    return (await this.#stream.publish(`${PREFIX}${this.#name}.${key}`, "", { headers: removal, expect }))
      .seq;
  }

  /**
   * NATS 2.9 lets several nodes change a record of three replicas at once, though only one of them knows its newest revision.
   * The first change counts, and a node that came later puts the first change back. So the history has to be as long as there
   * are nodes.
   */
  async #first(key: string, known: number, written: number): Promise<number> {
    for await (const entry of await this.#kv.history({ key })) {
      if (entry.revision <= known || entry.revision >= written) continue;
      const back = entry.operation === "PUT"
        ? this.#kv.update(key, entry.value, written)
        : this.#delete(key, written);
      await back.catch(() => {}); // another node has written since
      throw new ConflictError(key);
    }
    return written;
  }

  async #said(key: string, work: () => Promise<number>): Promise<number> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConflictError) throw error;
      if (error instanceof JetStreamApiError && error.code === WRONG_SEQUENCE) throw new ConflictError(key);
      throw new AwayError(errorText(error), { cause: error });
    }
  }

  async watch(told: (entry: Entry) => void, signal: AbortSignal): Promise<void> {
    let last = 0;
    const isThere = Promise.withResolvers<void>();
    const follow = async () => {
      const { streamInfo } = await this.#kv.status();
      const watcher = await this.#kv.watch(last === 0 ? {} : { resumeFromRevision: last + 1 });
      const ending = new AbortController();
      const isOver = AbortSignal.any([signal, ending.signal]);
      isOver.addEventListener("abort", () => watcher.stop(), { once: true });
      this.#watchOver(() => last, isOver).then(() => watcher.stop());
      try {
        if (streamInfo.state.messages === 0) isThere.resolve();
        for await (const entry of watcher) {
          const { key, operation, revision, delta, created } = entry;
          const text = operation === "PUT" ? entry.string() : null;
          if (revision > last) told({ key, text, revision, at: created.getTime() });
          last = Math.max(last, revision);
          if (delta === 0) isThere.resolve();
        }
      } finally {
        ending.abort();
      }
    };
    (async () => {
      while (!signal.aborted) {
        await follow().catch((error) => {
          if (last === 0) isThere.reject(new AwayError(errorText(error), { cause: error }));
          log("warn", "the cluster's news do not arrive", { bucket: this.#name, error: errorText(error) });
        });
        if (!signal.aborted) await sleep(AGAIN_MS, signal);
      }
      isThere.resolve();
    })();
    await isThere.promise;
  }

  /** Resolves when a watch is behind its bucket: a watch at a server that has died hears nothing for a quarter of a minute. */
  async #watchOver(last: () => number, signal: AbortSignal): Promise<void> {
    let behindSince: number | null = null;
    while (!signal.aborted) {
      await sleep(LOOK_MS, signal);
      const newest = await this.#kv.status().then(({ streamInfo }) => streamInfo.state.last_seq, () => 0);
      if (newest > last() && behindSince === last()) return;
      behindSince = newest > last() ? last() : null;
    }
  }
}

/** Where the pieces of a key are: in one of two places by turns, so that the last pieces stay until the next are whole. */
interface Head {
  place: "a" | "b";
  pieces: number;
}

/** Opens a store of bytes, which is made where it is missing. @throws {AwayError} */
export async function openBlobs(connection: NatsConnection, name: string, replicas: number): Promise<Blobs> {
  const said = <Answer>(work: Promise<Answer>) =>
    withTimeout(BLOB_MS, work, "the cluster does not answer").catch((error): never => {
      throw new AwayError(errorText(error), { cause: error });
    });
  const stream = jetstream(connection, { timeout: ANSWER_MS });
  // any replica answers a direct get, and may not have what was just written
  const options = { replicas, history: 1, timeout: ANSWER_MS, allow_direct: false };
  const kv = await said(new Kvm(stream).create(name, options));
  const headOf = async (key: string) => {
    const entry = await kv.get(key);
    return entry?.operation === "PUT" ? parsed<Head>(entry.string()) : null;
  };
  const read = async (key: string, { place, pieces }: Head) => {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (let at = 0; at < pieces; at++) {
      const piece = await kv.get(`${key}.${place}.${at}`);
      if (piece?.operation !== "PUT") return null;
      parts.push(Uint8Array.from(piece.value));
    }
    return await new Blob(parts).bytes();
  };
  const write = async (key: string, bytes: Uint8Array) => {
    const head: Head = { place: (await headOf(key))?.place === "a" ? "b" : "a", pieces: 0 };
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      await kv.put(`${key}.${head.place}.${head.pieces++}`, bytes.subarray(at, at + PIECE_BYTES));
    }
    await kv.put(key, JSON.stringify(head));
  };
  const erase = async (key: string) => {
    if (!await headOf(key)) return;
    for (const filter of [key, `${key}.>`]) {
      for await (const found of await kv.keys(filter)) await kv.purge(found);
    }
  };
  return {
    put: (key, bytes) => said(write(key, bytes)),
    get: (key) => said(headOf(key).then((head) => head && read(key, head))),
    remove: (key) => said(erase(key)),
  };
}

/** The nodes' news, by subjects of the cluster. */
function natsNews(connection: NatsConnection, cluster: string): News {
  const nameOf = (subject: string) => `bs.${cluster}.${subject}`;
  return {
    tell: (subject, text) => {
      if (!connection.isClosed()) connection.publish(nameOf(subject), text);
    },
    listen: (subject, told, signal) => {
      const subscription = connection.subscribe(nameOf(subject), {
        callback: (error, message) => {
          if (!error) told(message.string());
        },
      });
      signal.addEventListener("abort", () => subscription.unsubscribe(), { once: true });
    },
  };
}

/** Raises the number of servers that keep each record of a bucket. @throws {AwayError} */
async function raiseReplicas(connection: NatsConnection, bucket: string, replicas: number): Promise<void> {
  try {
    const { streams } = await jetstreamManager(connection, { timeout: ANSWER_MS });
    // a server may not know a bucket yet that was just made
    const found = (left = MOST_LOOKS): Promise<StreamInfo> =>
      streams.info(`KV_${bucket}`).catch((error) => {
        if (!isMissing(error) || left === 0) throw error;
        return sleep(AGAIN_MS).then(() => found(left - 1));
      });
    const { config } = await found();
    if (config.num_replicas >= replicas) return;
    await streams.update(config.name, { num_replicas: replicas });
    const isWhole = ({ cluster }: StreamInfo) =>
      Boolean(cluster?.leader) && cluster!.replicas?.length === replicas - 1 &&
      cluster!.replicas.every(({ current }) => current);
    // meanwhile no server leads the bucket, and nothing is written
    for (let looks = 0; !isWhole(await found()); looks++) {
      if (looks === MOST_LOOKS) throw new Error("the servers have not copied it in time");
      await sleep(AGAIN_MS);
    }
  } catch (error) {
    const why = errorText(error);
    throw new AwayError(`${bucket} cannot be kept by ${replicas} servers: ${why}`, { cause: error });
  }
}

/**
 * All that the nodes of a cluster share, sealed.
 * @param cluster its name: letters, digits and "-". @param replicas servers that keep each record: missing buckets are made
 * for so many, and the others are raised to so many; null: all buckets must be there. @throws {AwayError | OtherClusterError}
 */
export async function openShared(
  connection: NatsConnection,
  cluster: string,
  key: CryptoKey,
  replicas: number | null,
): Promise<Shared> {
  let kept = replicas;
  const open = async (name: string, rules: Partial<BucketRules>) => {
    const whole = replicas === null ? null : { replicas, history: HISTORY, ttlMs: 0, ...rules };
    const bucket = await NatsBucket.open(connection, `${cluster}-${name}`, whole);
    // servers may have joined since the cluster was founded
    if (replicas !== null) await raiseReplicas(connection, `${cluster}-${name}`, replicas);
    kept ??= await bucket.replicas();
    return sealedBucket(bucket, name, key);
  };
  // beats are in files, too: a bucket in memory would number anew after its servers' restart
  const beats = { history: 1, ttlMs: LOST_MS };
  const [streams, owners, texts, nodes] = await Promise.all([
    open("streams", {}),
    open("owners", {}),
    open("texts", {}),
    open("nodes", beats),
  ]);
  const blobs = await openBlobs(connection, `${cluster}-profiles`, kept!);
  if (replicas !== null) await raiseReplicas(connection, `${cluster}-profiles`, replicas);
  return {
    buckets: { streams, owners, nodes, texts },
    profiles: sealedBlobs(blobs, "profiles", key),
    news: sealedNews(natsNews(connection, cluster), key),
    close: () => connection.close(),
  };
}
