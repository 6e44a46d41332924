/**
 * A bucket of records that all nodes of a cluster share: the one seam to NATS, where tests put their own. What every bucket
 * promises is tests/support/bucket_contract.ts.
 */

/** A record, or its removal. */
export interface Entry {
  key: string;
  /** Null: the record was removed. */
  text: string | null;
  /** Rises with each change of the bucket; from 1. */
  revision: number;
  /** When the cluster took the change, by the cluster's clock: milliseconds since 1970. */
  at: number;
}

/** Another node has changed the record meanwhile. */
export class ConflictError extends Error {
  override name = "ConflictError";
  constructor(readonly key: string) {
    super(`the record ${key} was changed by another node`);
  }
}

/** The cluster does not answer, so it is not known whether the change holds. */
export class AwayError extends Error {
  override name = "AwayError";
}

/** The bucket is missing, or another cluster's. */
export class OtherClusterError extends Error {
  override name = "OtherClusterError";
}

/** The content of a record's text; null: the record was removed, or its text is no JSON. */
export function parsed<Said>(text: string | null): Said | null {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

export interface Bucket {
  /**
   * Writes a record if this node knows its newest revision, and returns the new one.
   * @param key of A-Z, a-z, 0-9, "-", "_" and ".". @param revision 0: there must be no such record.
   * @throws {ConflictError | AwayError}
   */
  put(key: string, text: string, revision: number): Promise<number>;
  /** Removes a record if this node knows its newest revision, and returns the removal's. @throws {ConflictError | AwayError} */
  remove(key: string, revision: number): Promise<number>;
  /**
   * Tells all records, then each change, in the order of revisions, until the signal aborts. Resolves when all records that
   * were there have been told. @throws {AwayError}
   */
  watch(told: (entry: Entry) => void, signal: AbortSignal): Promise<void>;
}

/** Bytes that nodes leave for each other, by key: too many for a record. Each method throws {AwayError}. */
export interface Blobs {
  put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The bytes of a key; null: no node has left any. */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | null>;
  remove(key: string): Promise<void>;
}

/** Messages between nodes. Each is told once: a node that does not listen then misses it. */
export interface News {
  /** Tells all nodes, this node too. While the cluster is away, the message is lost. */
  tell(subject: string, text: string): void;
  listen(subject: string, told: (text: string) => void, signal: AbortSignal): void;
}

/** All that the nodes of a cluster share. */
export interface Shared {
  buckets: { streams: Bucket; nodes: Bucket; owners: Bucket; texts: Bucket };
  /** What the streams' pages have stored. */
  profiles: Blobs;
  news: News;
  /** Closes the connection, where there is one. */
  close?(): Promise<void>;
}
