/** Stream ids: a DNS label each, so that an id is safe as a file, program, path and playlist name. Pure. */
import { noSuchStream } from "../errors.ts";

declare const brand: unique symbol;

/** A text that was checked to be a stream's id. Paths and program names are made of these only. */
export type StreamId = string & { readonly [brand]: "StreamId" };

export const STREAM_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Whether the text can be a stream's id. */
export function isStreamId(text: string): text is StreamId {
  return STREAM_ID.test(text);
}

/** The id that a text is. @throws {ServiceError} 404: no stream can have another. */
export function streamId(text: string): StreamId {
  if (!isStreamId(text)) throw noSuchStream(text);
  return text;
}

/** A name as an id: "Grafana – Übersicht" becomes "grafana-ubersicht"; "stream" if nothing is left. */
export function slug(text: string): StreamId {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/ß/g, "ss");
  const label = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "").slice(0, 56).replace(/-+$/, "");
  return streamId(label || "stream");
}

/** The first free one of id, id-2, id-3, … */
export function freeId(wanted: StreamId, taken: ReadonlySet<string>): StreamId {
  for (let n = 1;; n++) {
    const candidate = streamId(n === 1 ? wanted : `${wanted}-${n}`);
    if (!taken.has(candidate)) return candidate;
  }
}
