/**
 * A bucket whose records nobody reads or forges without the cluster's key: AES-256-GCM, bound to the bucket and the record's
 * key, so that a sealed text in another place is refused. What somebody else has written is told to nobody.
 */
import { Buffer } from "node:buffer";
import { errorText, log } from "../system/log.ts";
import type { Bucket, Entry } from "./buckets.ts";

/** Bytes. Source: NIST SP 800-38D, section 8.2.1. */
const NONCE_BYTES = 12;
const KEY_BYTES = 32;

/** The cluster's key out of a secret. @param secret at least 32 bytes. @throws {Error} for a shorter one. */
export async function clusterKey(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  if (secret.length < KEY_BYTES) {
    throw new Error(`the cluster's secret has ${secret.length} bytes, not ${KEY_BYTES}`);
  }
  const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const rule = {
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: bytesOf("browser-stream records"),
  };
  return await crypto.subtle.deriveKey(rule, base, { name: "AES-GCM", length: 256 }, false, [
    "encrypt",
    "decrypt",
  ]);
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** @param name of the bucket, which is sealed in. */
export function sealedBucket(bucket: Bucket, name: string, key: CryptoKey): Bucket {
  const ruleOf = (of: string, iv: Uint8Array<ArrayBuffer>) => ({
    ...{ name: "AES-GCM", iv, additionalData: bytesOf(`${name}/${of}`) },
  });
  async function seal(of: string, text: string): Promise<string> {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const sealed = await crypto.subtle.encrypt(ruleOf(of, nonce), key, bytesOf(text));
    return Buffer.concat([nonce, new Uint8Array(sealed)]).toString("base64");
  }
  async function open({ key: of, text, revision }: Entry): Promise<Entry | null> {
    if (text === null) return { key: of, text, revision };
    try {
      const bytes = Uint8Array.from(Buffer.from(text, "base64"));
      const rule = ruleOf(of, bytes.slice(0, NONCE_BYTES));
      const opened = await crypto.subtle.decrypt(rule, key, bytes.slice(NONCE_BYTES));
      return { key: of, text: new TextDecoder().decode(opened), revision };
    } catch (error) {
      log("warn", "a record of the cluster is not ours, and does not count", {
        ...{ bucket: name, key: of, error: errorText(error) },
      });
      return null;
    }
  }
  return {
    put: async (of, text, revision) => await bucket.put(of, await seal(of, text), revision),
    remove: (of, revision) => bucket.remove(of, revision),
    async watch(told, signal) {
      // one after the other: records are opened in the order in which they were told
      let opening: Promise<void> = Promise.resolve();
      await bucket.watch((entry) => {
        opening = opening.then(async () => {
          const opened = await open(entry);
          if (opened && !signal.aborted) told(opened);
        }).catch((error) => {
          // the next ones are told nevertheless
          log("error", "a record of the cluster was not taken", { key: entry.key, error: errorText(error) });
        });
      }, signal);
      await opening;
    },
  };
}
