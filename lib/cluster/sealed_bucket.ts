/**
 * Buckets and news that nobody reads or forges without the cluster's key: AES-256-GCM, bound to the bucket and the record's
 * key, so that a sealed text in another place is refused. A record that was not sealed with the key is dropped. A removal is
 * not sealed: NATS' own login guards it.
 */
import { Buffer } from "node:buffer";
import { errorText, logRarely } from "../machine/tools/log.ts";
import type { Blobs, Bucket, Entry, News } from "./buckets.ts";

/** Bytes. Source: NIST SP 800-38D, section 8.2.1. */
const NONCE_BYTES = 12;
const KEY_BYTES = 32;

/** The most removals of records that this node has never seen: more than a bucket has of streams that were removed long ago. */
const MOST_REMOVALS = 20_000;

/** The most characters of news that wait to be opened, and how many each message counts beside its own. */
const [MOST_WAITING, NEWS_COST] = [16 * 1024 * 1024, 1024];

/** The cluster's key, made from its secret. @param secret at least 32 bytes. @throws {Error} for a shorter one. */
export async function clusterKey(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  if (secret.length < KEY_BYTES) {
    throw new Error(`the cluster's secret has ${secret.length} bytes, not ${KEY_BYTES}`);
  }
  const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const [salt, info] = [new Uint8Array(), bytesOf("browser-stream records")];
  const rule = { name: "HKDF", hash: "SHA-256", salt, info };
  const cipher = { name: "AES-GCM", length: 256 };
  return await crypto.subtle.deriveKey(rule, base, cipher, false, ["encrypt", "decrypt"]);
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Seals bytes and texts, each bound to a place, and opens them: null for those that were not sealed for their place. */
function sealer(name: string, key: CryptoKey) {
  const ruleOf = (place: string, iv: Uint8Array<ArrayBuffer>) => ({
    name: "AES-GCM",
    iv,
    additionalData: bytesOf(`${name}/${place}`),
  });
  const sealBytes = async (place: string, bytes: Uint8Array<ArrayBuffer>) => {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const sealed = await crypto.subtle.encrypt(ruleOf(place, nonce), key, bytes);
    return await new Blob([nonce, sealed]).bytes();
  };
  const openBytes = async (place: string, sealed: Uint8Array<ArrayBuffer>) => {
    try {
      const rule = ruleOf(place, sealed.slice(0, NONCE_BYTES));
      return new Uint8Array(await crypto.subtle.decrypt(rule, key, sealed.subarray(NONCE_BYTES)));
    } catch (error) {
      logRarely("warn", "a record of the cluster cannot be opened with this secret, and is ignored", {
        bucket: name,
        key: place,
        error: errorText(error),
      });
      return null;
    }
  };
  return {
    sealBytes,
    openBytes,
    seal: async (place: string, text: string) =>
      Buffer.from(await sealBytes(place, bytesOf(text))).toString("base64"),
    open: async (place: string, text: string) => {
      const bytes = await openBytes(place, Uint8Array.from(Buffer.from(text, "base64")));
      return bytes && new TextDecoder().decode(bytes);
    },
  };
}

/** Takes pieces one after the other: they keep their order, though each is opened in the background. */
function inOrder<Piece>(
  take: (piece: Piece) => Promise<void>,
): { add(piece: Piece): void; done(): Promise<void> } {
  let line: Promise<void> = Promise.resolve();
  return {
    add: (piece) => {
      line = line.then(() => take(piece)).catch((error) => {
        logRarely("error", "a record of the cluster was not processed", { error: errorText(error) });
      });
    },
    done: () => line,
  };
}

/** The bucket, with sealed records. @param name of the bucket, which the seal contains. */
export function sealedBucket(bucket: Bucket, name: string, key: CryptoKey): Bucket {
  const { seal, open } = sealer(name, key);
  return {
    put: async (of, text, revision) => await bucket.put(of, await seal(of, text), revision),
    remove: (of, revision) => bucket.remove(of, revision),
    async watch(told, signal) {
      const records = new Set<string>();
      let strangers = 0;
      const line = inOrder<Entry>(async (entry) => {
        const text = entry.text === null ? null : await open(entry.key, entry.text);
        if ((text === null) !== (entry.text === null) || signal.aborted) return;
        if (text !== null) records.add(entry.key);
        else if (!records.delete(entry.key) && ++strangers > MOST_REMOVALS) {
          return logRarely("warn", "too many records were removed that were not there", { bucket: name });
        }
        told({ ...entry, text });
      });
      await bucket.watch((entry) => line.add(entry), signal);
      await line.done();
    },
  };
}

/** The store, with sealed bytes. @param name of the store, which the seal contains. */
export function sealedBlobs(blobs: Blobs, name: string, key: CryptoKey): Blobs {
  const { sealBytes, openBytes } = sealer(name, key);
  return {
    put: async (of, bytes) => await blobs.put(of, await sealBytes(of, bytes)),
    get: async (of) => {
      const sealed = await blobs.get(of);
      return sealed && await openBytes(of, sealed);
    },
    remove: (of) => blobs.remove(of),
  };
}

export function sealedNews(news: News, key: CryptoKey): News {
  const { seal, open } = sealer("news", key);
  const sending = inOrder<[string, string]>(async ([subject, text]) =>
    news.tell(subject, await seal(subject, text))
  );
  return {
    tell: (subject, text) => sending.add([subject, text]),
    listen: (subject, told, signal) => {
      let waiting = 0;
      const line = inOrder<string>(async (sealed) => {
        waiting -= sealed.length + NEWS_COST;
        const text = await open(subject, sealed);
        if (text !== null && !signal.aborted) told(text);
      });
      news.listen(subject, (sealed) => {
        if (waiting > MOST_WAITING) {
          return logRarely("warn", "the cluster's news come faster than this node reads them", { subject });
        }
        waiting += sealed.length + NEWS_COST;
        line.add(sealed);
      }, signal);
    },
  };
}
