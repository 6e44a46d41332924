/** The text of streams.json: read strictly, written with everything that was in it. */
import { NO_NAME } from "./entered/line.ts";
import { oneLine } from "./entered/one_line.ts";
import { finish, type Steps } from "../machine/tools/turns.ts";
import { lacksLogin, storedApart, takenApart } from "./entered/address_logins.ts";
import { freeId, idOfRecord, RESERVED } from "./id.ts";
import {
  fieldProblems,
  MAX_ORDER,
  newStream,
  type StoredStream,
  storedStream,
  type Stream,
} from "./schema.ts";
import { SECRET_FIELDS, setName } from "./secrets.ts";

/** The list cannot be used; the message says where and why. */
export class StreamFileError extends Error {
  override name = "StreamFileError";
}

export interface StreamFile {
  streams: Stream[];
  /** The object around the list, if the file has one: `{"streams": [...], ...}`. */
  wrapper: Record<string, unknown> | null;
}

type Json = Record<string, unknown>;

/** One record of a list: its stream, or its problems. */
export interface Entry {
  /** The record's position in the list, from 1. */
  at: number;
  /** The record's name for people; "" without a name. */
  name: string;
  /** The record's own fields, without values that only mean "not set", and without logins in addresses. */
  given: Json;
  /** Whether an export of an earlier version has left a login out of an address. */
  lacksLogin?: boolean;
  /** Absent if there are problems. */
  stream?: StoredStream;
  /** The problems by field; a problem of the whole record is under "". */
  problems: Record<string, string>;
}

interface Entries {
  entries: Entry[];
  wrapper: Json | null;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value of a record as a text; an object may have a `toString` that is no function. */
function plain(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The records of `[…]`, `{"streams": […]}` or `{"id": {…}, …}`. */
function records(content: unknown): { list: unknown[]; wrapper: Json | null } {
  if (Array.isArray(content)) return { list: content, wrapper: null };
  if (!isObject(content)) throw new StreamFileError("the file has no list of streams");
  const { streams, ...wrapper } = content;
  if (Array.isArray(streams)) return { list: streams, wrapper };
  const isNested = isObject(streams) && !("url" in streams);
  const byId = isNested ? streams : content;
  const list = Object.entries(byId).map(([id, record]) =>
    isObject(record) ? { ...record, id: record.id || id } : record
  );
  return { list, wrapper: isNested ? wrapper : null };
}

/** Other tools write null or "" for an unset field, and a number's text for the order. */
function withoutBlanks(record: Json): Json {
  const isOurs = (field: string) => field === "order" || Object.hasOwn(newStream.shape, field);
  const set = Object.entries(record).filter(([field, value]) =>
    !isOurs(field) || (value !== null && value !== "")
  );
  const { order, ...fields } = Object.fromEntries(set);
  return typeof order === "string" && /^\d{1,9}$/.test(order)
    ? { ...fields, order: Number(order) }
    : Object.fromEntries(set);
}

/** A name, or group, that shows nothing is none. */
function withoutUnseen(record: Json): Json {
  const isUnseen = (field: string, value: unknown) =>
    (field === "name" || field === "group") && typeof value === "string" && oneLine(value) === "";
  return Object.fromEntries(Object.entries(record).filter(([field, value]) => !isUnseen(field, value)));
}

/** Gives records without an order the next free one, in the file's order; sorts by order. */
export function withOrder(streams: StoredStream[]): Stream[] {
  let next = streams.reduce((most, { order }) => Math.max(most, order ?? -1), -1) + 1;
  const ordered = streams.map((stream) =>
    ({ ...stream, order: stream.order ?? Math.min(next++, MAX_ORDER) }) as Stream
  );
  return ordered.sort((a, b) => a.order - b.order);
}

/** Gives an id to a record without one, by the record's name and the taken ids. */
export type GiveId = (name: string, taken: ReadonlySet<string>) => string;

/**
 * Reads the content of a stream list, each record for itself, and gives missing ids.
 * @param isStored whether it is our own list, no text of which is refused for how it was entered.
 * @throws {StreamFileError} when the content is no list at all, or has more than `most` records.
 */
export function* readEntries(
  content: unknown,
  giveId: GiveId = (name, taken) => freeId(idOfRecord(name), taken, RESERVED),
  most = Infinity,
  isStored = true,
): Steps<Entries> {
  const { list, wrapper } = records(content);
  if (list.length > most) {
    throw new StreamFileError(`the file has ${list.length} streams, and at most ${most} are taken`);
  }
  const taken = new Set(list.map((record) => isObject(record) ? plain(record.id) : ""));
  const seen = new Set<string>();
  const read = (record: unknown, index: number): Entry => {
    const at = index + 1;
    if (!isObject(record)) {
      const problem = 'This is not a stream. Example: {"name": "Grafana", "url": "https://…"}.';
      return { at, name: "", given: {}, problems: { "": problem } };
    }
    const given = isStored ? withoutUnseen(withoutBlanks(record)) : withoutBlanks(record);
    const typedName = plain(record.name);
    const isUnseen = given.name === undefined && typedName !== "";
    const name = given.name ?? given.id ?? (isUnseen ? NO_NAME : undefined);
    const id = given.id ?? giveId(typedName, taken);
    taken.add(plain(id));
    const { fields: bare, problems } = isStored ? storedApart(given) : takenApart(given);
    const entry = {
      at,
      name: oneLine(plain(name).slice(0, 1000)).slice(0, 60),
      given: bare,
      lacksLogin: lacksLogin(given),
    };
    const fields = { ...bare };
    for (const field of SECRET_FIELDS) delete fields[setName(field)]; // a note of our export, no field
    const result = storedStream.safeParse({ ...fields, id, name });
    if (!result.success) return { ...entry, problems: { ...problems, ...fieldProblems(result.error) } };
    if (Object.keys(problems).length > 0) return { ...entry, problems };
    if (seen.has(result.data.id)) {
      return { ...entry, problems: { id: `The id "${result.data.id}" occurs twice in this list.` } };
    }
    seen.add(result.data.id);
    return { ...entry, stream: result.data, problems: {} };
  };
  const entries: Entry[] = [];
  for (const [index, record] of list.entries()) {
    entries.push(read(record, index));
    yield;
  }
  return { entries, wrapper };
}

function entryError({ at, name, problems }: Entry): StreamFileError {
  const [[field, problem]] = Object.entries(problems);
  if (field === "") return new StreamFileError(`entry ${at} is not a stream`);
  return new StreamFileError(`stream ${at} (${name}), field "${field}": ${problem}`);
}

/**
 * Reads the text of a stream list, and gives missing ids and orders.
 * @throws {StreamFileError} on the first record that is not a valid stream, or an id that occurs twice.
 */
export function parseStreamFile(text: string): StreamFile {
  let content: unknown;
  try {
    content = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new StreamFileError(`it is not valid JSON: ${(error as Error).message}`);
  }
  const { entries, wrapper } = finish(readEntries(content));
  const streams = entries.map((entry) => {
    if (!entry.stream) throw entryError(entry);
    return entry.stream;
  });
  return { streams: withOrder(streams), wrapper };
}

/** The text that `parseStreamFile` reads back. */
export function formatStreamFile({ streams, wrapper }: StreamFile): string {
  return JSON.stringify(wrapper ? { ...wrapper, streams } : streams, null, 2) + "\n";
}
