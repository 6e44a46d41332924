/** The text of streams.json: read strictly, written with everything that was in it. */
import { fieldProblems, freeId, slug, storedStream, type Stream, streamFields } from "./stream.ts";

/** A list that cannot be used; the message says where and why. */
export class StreamFileError extends Error {
  override name = "StreamFileError";
}

export interface StreamFile {
  streams: Stream[];
  /** The object around the list, if the file has one: `{"streams": [...], ...}`. */
  wrapper: Record<string, unknown> | null;
}

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The records of `[…]`, `{"streams": […]}` or `{"id": {…}, …}`. */
function records(content: unknown): { list: unknown[]; wrapper: Json | null } {
  if (Array.isArray(content)) return { list: content, wrapper: null };
  if (!isObject(content)) throw new StreamFileError("the file holds no list of streams");
  const { streams, ...wrapper } = content;
  if (Array.isArray(streams)) return { list: streams, wrapper };
  const isNested = isObject(streams) && !("url" in streams);
  const byId = isNested ? streams : content;
  const list = Object.entries(byId).map(([id, record]) => isObject(record) ? { id, ...record } : record);
  return { list, wrapper: isNested ? wrapper : null };
}

/** Other tools write null or "" for what is not set, and a number's text for the order. */
function withoutBlanks(record: Json): Json {
  const set = Object.entries(record).filter(([field, value]) =>
    !(field in streamFields.shape || field === "order") || (value !== null && value !== "")
  );
  const { order, ...fields } = Object.fromEntries(set);
  return typeof order === "string" && /^\d{1,9}$/.test(order)
    ? { ...fields, order: Number(order) }
    : Object.fromEntries(set);
}

/** Gives records without an order the next free one, in the file's order; sorts by order. */
export function withOrder(streams: (Omit<Stream, "order"> & { order?: number })[]): Stream[] {
  let next = streams.reduce((most, { order }) => Math.max(most, order ?? -1), -1) + 1;
  const ordered = streams.map((stream) => ({ ...stream, order: stream.order ?? next++ }) as Stream);
  return ordered.sort((a, b) => a.order - b.order);
}

/**
 * Reads the text of a stream list; missing ids and orders are given.
 * @throws {StreamFileError} on the first record that is not a valid stream, or an id that stands twice.
 */
export function parseStreamFile(text: string): StreamFile {
  let content: unknown;
  try {
    content = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new StreamFileError(`it is not valid JSON: ${(error as Error).message}`);
  }
  const { list, wrapper } = records(content);
  const taken = new Set(list.map((record) => isObject(record) ? String(record.id) : ""));
  const seen = new Set<string>();
  const streams = list.map((record, at) => {
    if (!isObject(record)) throw new StreamFileError(`entry ${at + 1} is no stream`);
    const name = record.name ?? record.id;
    const id = record.id ?? freeId(slug(String(name ?? "")), taken);
    taken.add(String(id));
    const result = storedStream.safeParse({ ...withoutBlanks(record), id, name });
    if (!result.success) {
      const [[field, problem]] = Object.entries(fieldProblems(result.error));
      throw new StreamFileError(
        `stream ${at + 1} (${String(name).slice(0, 60)}), field "${field}": ${problem}`,
      );
    }
    if (seen.has(result.data.id)) throw new StreamFileError(`the id "${result.data.id}" stands twice`);
    seen.add(result.data.id);
    return result.data;
  });
  return { streams: withOrder(streams), wrapper };
}

export function formatStreamFile({ streams, wrapper }: StreamFile): string {
  return JSON.stringify(wrapper ? { ...wrapper, streams } : streams, null, 2) + "\n";
}
