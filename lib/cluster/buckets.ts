/**
 * A bucket of records that all nodes of a cluster share: the one seam to NATS, where tests put their own. What every bucket
 * promises is tests/support/bucket_contract.ts.
 */

/** A record as it is, or is no more. */
export interface Entry {
  key: string;
  /** Null: it was removed. */
  text: string | null;
  /** Rises with each change of the bucket; from 1. */
  revision: number;
  /** When the cluster took it, by its own clock: milliseconds since 1970. */
  at: number;
}

/** Somebody else has changed the record meanwhile. */
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

/** The bucket is not this cluster's, or not there, so its list is not ours. */
export class OtherClusterError extends Error {
  override name = "OtherClusterError";
}

/** What a record's text says; null: it was removed, or nobody can read it. */
export function parsed<Said>(text: string | null): Said | null {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

export interface Bucket {
  /**
   * Writes a record if it is still as it is known, and returns its new revision.
   * @param key of A-Z, a-z, 0-9, "-", "_" and ".". @param revision 0: there must be no such record.
   * @throws {ConflictError | AwayError}
   */
  put(key: string, text: string, revision: number): Promise<number>;
  /** Removes a record if it is still as it is known, and returns the removal's revision. @throws {ConflictError | AwayError} */
  remove(key: string, revision: number): Promise<number>;
  /**
   * Tells all records, then each change, in the order of revisions, until the signal aborts. Resolves when those that were
   * there have been told. @throws {AwayError}
   */
  watch(told: (entry: Entry) => void, signal: AbortSignal): Promise<void>;
}

/** Bytes that nodes leave for each other, by key: too many for a record. @throws {AwayError} each of them. */
export interface Blobs {
  put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Null: there are none, or none that a node has left. */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | null>;
  remove(key: string): Promise<void>;
}

/** What nodes tell each other once: who does not listen then has missed it. */
export interface News {
  /** Tells all nodes, this one too. Nothing is told while the cluster is away. */
  tell(subject: string, text: string): void;
  listen(subject: string, told: (text: string) => void, signal: AbortSignal): void;
}

/** All that the nodes of a cluster share. */
export interface Shared {
  buckets: { streams: Bucket; nodes: Bucket; owners: Bucket; texts: Bucket };
  /** What the streams' pages have stored. */
  profiles: Blobs;
  news: News;
  /** Gives up the connection, where there is one. */
  close?(): Promise<void>;
}
