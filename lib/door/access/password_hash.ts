/** Hashes of passwords, by scrypt (RFC 7914): each guess takes 32 MiB and about a tenth of a second. */
import { Buffer } from "node:buffer";
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Semaphore } from "../../machine/tools/concurrency.ts";

const COST = { N: 2 ** 15, r: 8, p: 1 };
const BYTES = 32;
const HASH = /^scrypt\$([\w-]{22})\$([\w-]{43})$/;

/**
 * Each takes a processor: more at once would take the pictures' time. Who is known does not wait behind strangers, who may
 * come from many networks at once.
 */
const [turns, turnsOfStrangers] = [new Semaphore(1), new Semaphore(1)];

/** A hash that no password has, so that unknown names take as long as known ones. */
export const NO_HASH = `scrypt$${"A".repeat(22)}$${"A".repeat(43)}`;

function derived(password: string, salt: Uint8Array): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const options = { ...COST, maxmem: 64 * 1024 * 1024 };
  scrypt(
    password.normalize("NFC"),
    salt,
    BYTES,
    options,
    (error, key) => error ? reject(error) : resolve(key),
  );
  return promise;
}

/** The text that is stored: "scrypt$salt$hash". */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await turns.run(() => derived(password, salt));
  return `scrypt$${salt.toString("base64url")}$${key.toString("base64url")}`;
}

/** Whether a password is the one of a hash; a text that is no hash is of none. @param isKnown whether the client was in before. */
export async function isPasswordOf(hash: string, password: string, isKnown = false): Promise<boolean> {
  const [, salt, key] = HASH.exec(hash) ?? [];
  const typed = await (isKnown ? turns : turnsOfStrangers).run(() =>
    derived(password, Buffer.from(salt ?? "", "base64url"))
  );
  return key !== undefined && hash !== NO_HASH && timingSafeEqual(typed, Buffer.from(key, "base64url"));
}
