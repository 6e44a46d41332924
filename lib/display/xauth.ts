/** The key to the displays: without a key, every local user could watch them and type on them. */
import { randomBytes } from "node:crypto";

const NAME = "MIT-MAGIC-COOKIE-1";

/** Any host and display. Source: Xau.h, FamilyWild. */
const FAMILY_WILD = 0xffff;

/** The content of an Xauthority file with one new cookie for all displays. */
export function newXauthority(): Uint8Array {
  const field = (bytes: Uint8Array) => [bytes.length >> 8, bytes.length & 0xff, ...bytes];
  const none = new Uint8Array();
  const name = new TextEncoder().encode(NAME);
  return Uint8Array.from([
    FAMILY_WILD >> 8,
    FAMILY_WILD & 0xff,
    ...field(none),
    ...field(none),
    ...field(name),
    ...field(randomBytes(16)),
  ]);
}
