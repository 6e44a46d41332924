/** Bytes of a log -> text that can be shown. Pure. */
import { CONTROL } from "../../machine/tools/log.ts";
import { withoutLogins } from "../secret_addresses.ts";

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

/** The text without terminal sequences, control characters and logins in addresses; invalid UTF-8 becomes U+FFFD. */
export function shownText(bytes: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
    .replace(SEQUENCE, "").replace(/\r\n?/g, "\n").replace(CONTROL, "");
  return withoutLogins(text);
}
