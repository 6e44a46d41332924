/**
 * The encoding of texts that people bring: files and bodies in UTF-8, and in UTF-16, as Windows programs write them. Texts in
 * other encodings are refused with the encoding's name, since letters would be lost. Pure, also for the form.
 */

/** A text in an encoding that is not read; the message says which, and what to do. */
export class EncodingError extends Error {
  override name = "EncodingError";
}

/** The name of a byte order mark's encoding. Source: Unicode, chapter 23.8. */
const MARKS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ["utf-32le", [0xff, 0xfe, 0, 0]],
  ["utf-32be", [0, 0, 0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
  ["utf-8", [0xef, 0xbb, 0xbf]],
];

/** Where NULs stand, which a text in UTF-8 has none of, if its first character is ASCII. Source: RFC 4627, section 3. */
const NULS: readonly (readonly [encoding: string, pattern: RegExp])[] = [
  ["utf-32be", /^000[^0]/],
  ["utf-32le", /^[^0]000/],
  ["utf-16be", /^0[^0]/],
  ["utf-16le", /^[^0]0/],
];

/** Bytes that tell an encoding. */
export const TELLING_BYTES = 4;

/** The encoding of a text's byte order mark; null: it has none. */
function markOf(bytes: Uint8Array): string | null {
  return MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0] ?? null;
}

/** The encoding of a text by its first bytes: by its byte order mark, else by its NULs; else it may be UTF-8. */
export function encodingOf(bytes: Uint8Array): string {
  const mark = markOf(bytes);
  if (mark !== null) return mark;
  const shape = [...bytes.subarray(0, TELLING_BYTES)].map((byte) => byte === 0 ? "0" : "x").join("");
  return NULS.find(([, pattern]) => pattern.test(shape))?.[0] ?? "utf-8";
}

/** The text of a file of ours, which people may have edited: in UTF-8, or by its byte order mark in UTF-16. Nothing is refused. */
export function editedText(bytes: Uint8Array): string {
  const mark = markOf(bytes);
  return new TextDecoder(mark?.startsWith("utf-16") ? mark : "utf-8").decode(bytes);
}

export interface Decoded {
  /** Without a byte order mark. */
  text: string;
  isUtf8: boolean;
}

/**
 * The text of bytes.
 * @param what begins the error's sentence, such as "The body". @param said the encoding that a header names; it counts where
 * the bytes are none of Unicode's: many name one, and send UTF-8. @throws {EncodingError} for another one, or a damaged text.
 */
export function decoded(bytes: Uint8Array, what: string, said = ""): Decoded {
  const encoding = encodingOf(bytes);
  const remedy = "Save it as UTF-8, and try again.";
  if (encoding.startsWith("utf-32")) {
    throw new EncodingError(`${what} is in UTF-32, which the service does not read. ${remedy}`);
  }
  const isUtf8 = encoding === "utf-8";
  const text = textIn(encoding, bytes);
  const unmarked = isUtf8 && text?.includes("\0") ? utf16Of(bytes) : null;
  if (unmarked !== null) {
    throw new EncodingError(`${what} is in ${unmarked} without a byte order mark. ${remedy}`);
  }
  if (text !== null) return { text, isUtf8 };
  if (!isUtf8) {
    throw new EncodingError(`${what} is in ${encoding.toUpperCase()}, and damaged or not whole. ${remedy}`);
  }
  const asSaid = said === "" ? null : textIn(said, bytes);
  if (asSaid !== null) return { text: asSaid, isUtf8: false };
  throw new EncodingError(
    isBinary(bytes)
      ? `${what} is not text in UTF-8 or UTF-16. It may be an archive or a picture.`
      : `${what} is not in UTF-8, but in another encoding, probably Windows-1252, which some programs call ANSI. ${remedy}`,
  );
}

/** The encoding of bytes with NULs, if those stand as in UTF-16, where one byte of each blank and Latin letter is one. */
function utf16Of(bytes: Uint8Array): string | null {
  const isNulAt = (odd: number) => bytes.some((byte, at) => byte === 0 && at % 2 === odd);
  if (bytes.length % 2 === 1 || isNulAt(0) && isNulAt(1)) return null;
  return isNulAt(1) ? "UTF-16LE" : "UTF-16BE";
}

/** Null: it is no text in that encoding, or there is no such encoding. */
function textIn(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Whether there are bytes that no text has: control characters but tabs, line and page breaks. */
function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 1000).some((byte) => byte < 9 || byte > 13 && byte < 32);
}
