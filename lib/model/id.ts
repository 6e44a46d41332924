/** Stream ids: a DNS label each, so that an id is safe as a file, program, path and playlist name. Pure. */
import { noSuchStream } from "../errors.ts";
import { transliterate } from "./transliterate.ts";
import { TRIAL_ID } from "./answers/trial.ts";

declare const brand: unique symbol;

/** A stream's checked id. Paths and program names are made only of checked ids. */
export type StreamId = string & { readonly [brand]: "StreamId" };

/** More characters than a valid name has: a longer name gets an error, and costs no time before. */
const MAX_NAME = 1000;

export const STREAM_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Whether the text can be a stream's id. */
export function isStreamId(text: string): text is StreamId {
  return STREAM_ID.test(text);
}

/** The text as a stream's id. @throws {ServiceError} 404: no stream can have this text as its id. */
export function streamId(text: string): StreamId {
  if (!isStreamId(text)) throw noSuchStream(text);
  return text;
}

/**
 * A name as an id: "Grafana – Übersicht" becomes "grafana-uebersicht". A name in a script without our letters becomes
 * "stream-" and a number of the name: another stream with the name gets the same id, and a stream with another name
 * never gets the address that this stream's viewers have. A name without any letter becomes "stream".
 */
export function slug(name: string): StreamId {
  const text = name.slice(0, MAX_NAME);
  const label = labelOf(transliterate(text));
  if (/[a-z]/.test(label) || !/\p{L}/u.test(text)) return streamId(label || "stream");
  const number = checksum(text.normalize("NFKC").trim().toLowerCase()).toString(36);
  return streamId(["stream", label.slice(0, 40).replace(/-+$/, ""), number].filter(Boolean).join("-"));
}

/**
 * The id of a record without one in the stream list, by the rule of the first versions: such a record may never have
 * been written with its id, and ids do not change.
 */
export function idOfRecord(name: string): StreamId {
  const plain = name.slice(0, MAX_NAME).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(
    /ß/g,
    "ss",
  );
  return streamId(labelOf(plain) || "stream");
}

function labelOf(text: string): string {
  return text.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "").slice(0, 56).replace(/-+$/, "");
}

/** FNV-1a of the text's UTF-16 units, 32 bits. */
function checksum(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Names that paths below /api/streams/ and /streams/ have taken. */
export const RESERVED: ReadonlySet<string> = new Set([
  "statuses",
  "heartbeats",
  "reorder",
  "playlist",
  "import",
  "export",
  "new",
  TRIAL_ID,
]);

/** The first of id, id-2, id-3, … that is not taken. */
export function freeId(wanted: StreamId, ...taken: { has(id: string): boolean }[]): StreamId {
  for (let n = 1;; n++) {
    const candidate = streamId(n === 1 ? wanted : `${wanted}-${n}`);
    if (!taken.some((ids) => ids.has(candidate))) return candidate;
  }
}
