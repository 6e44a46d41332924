/** Bytes of a log -> text that can be shown. Pure. */
import type { ProgramKind } from "./programs.ts";

/** A log there is: `size` in bytes with what was rotated away, `changedAt` in Unix ms. */
export interface LogInfo {
  name: ProgramKind;
  size: number;
  changedAt: number;
}

/** Text of a log; `next` says where to go on: which file, and which byte of it. Opaque to who asks. */
export interface LogPart {
  text: string;
  next: string;
}

const ESC = "\\x1b";
/** Terminal sequences (ECMA-48): CSI such as colours, strings such as window titles, and the short ones. */
const SEQUENCE = new RegExp(
  [
    `(?:${ESC}\\[|\\x9b)[0-?]*[ -/]*[@-~]`,
    `${ESC}[\\]PX^_][^\\x07${ESC}\\n]*(?:\\x07|${ESC}\\\\)`,
    `${ESC}[ -/]*[0-~]`,
  ].join("|"),
  "g",
);
/** The beginning of one, at the end of a text. */
const OPEN_SEQUENCE = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|[\\]PX^_][^\\x07${ESC}\\n]*${ESC}?|[ -/]*)$`);
/** A sequence that is not complete after so many bytes is none. */
const MAX_SEQUENCE = 256;

/** Control characters but for line break and tab; and those that turn the direction of what follows. */
const CONTROL = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** Bytes of a character whose first byte this is; 1 for what is none. */
function characterLength(byte: number): number {
  if (byte >= 0xf0 && byte < 0xf8) return 4;
  if (byte >= 0xe0 && byte < 0xf0) return 3;
  return byte >= 0xc0 && byte < 0xe0 ? 2 : 1;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** How many bytes at the end are the beginning of a UTF-8 character; at most 3. */
function openCharacter(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length];
    if (!isContinuation(byte)) return characterLength(byte) > length ? length : 0;
  }
  return 0;
}

/** How many bytes at the end are better read again with what follows: of a character, a sequence or a line's end. */
export function unfinished(bytes: Uint8Array): number {
  const latin1 = Array.from(bytes.subarray(-MAX_SEQUENCE), (byte) => String.fromCharCode(byte)).join("");
  const sequence = OPEN_SEQUENCE.exec(latin1);
  if (sequence) return latin1.length - sequence.index;
  return latin1.endsWith("\r") ? 1 : openCharacter(bytes);
}

/** Where the first whole line begins; the first whole character if there is just one long line. */
export function lineStart(bytes: Uint8Array): number {
  const at = bytes.indexOf(0x0a);
  if (at >= 0 && at < bytes.length - 1) return at + 1;
  const first = bytes.findIndex((byte) => !isContinuation(byte));
  return first >= 0 && first <= 3 ? first : 0;
}

/** The text without terminal sequences and control characters; what is no UTF-8 becomes U+FFFD. */
export function shownText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
    .replace(SEQUENCE, "").replace(/\r\n?/g, "\n").replace(CONTROL, "");
}
