/** Export and import of the stream list. Pure. */
import type { ImportSummary } from "./answers/shapes.ts";
import { badInput, ServiceError } from "../errors.ts";
import { oneLine } from "./entered/one_line.ts";
import { finish, type Steps } from "../machine/tools/turns.ts";
import { takenNumberProblem, withNextNumbers, withNumbers } from "./channel.ts";
import { changedFields, MAX_STREAMS, sizeProblem, withRevision } from "./change.ts";
import { type Entry, type GiveId, readEntries, StreamFileError, withOrder } from "./file.ts";
import { freeId, RESERVED, slug } from "./id.ts";
import { keepProblem } from "./kept_secrets.ts";
import { withOverrideOf } from "./plan/stop_until.ts";
import { lacksSecret, withKnownSecrets, withoutAddressSecrets } from "./secret_addresses.ts";
import { SECRET_FIELDS, type SecretField, setName } from "./secrets.ts";
import { hiddenFields, type PublicStream, type StoredStream, type Stream } from "./schema.ts";
import { exportedWall } from "./wall/shown.ts";
import type { Wall } from "./wall/wall.ts";

/** Characters of a name that an id is made of: one that is longer is refused afterwards. */
const MAX_NAME = 1000;

/** Bytes of one stream's JSON, as many as in a request for one stream. */
const MAX_BYTES = 256 * 1024;

interface ImportPlan {
  summary: ImportSummary;
  /** All streams after the import; the very same list if nothing changes. */
  streams: readonly Stream[];
}

/** The fields that say whether there is a secret. */
const SETS: readonly string[] = SECRET_FIELDS.map(setName);

/** The lists as a file for people to keep: everything but secrets, only where each of them was. */
export function exportedList(streams: readonly PublicStream[], walls: readonly Wall[]): string {
  const records = streams.map((stream) =>
    Object.fromEntries(
      Object.entries(withoutAddressSecrets(stream, stream.pushKeySet)).filter(([name, value]) =>
        value !== false || !SETS.includes(name)
      ),
    )
  );
  return JSON.stringify({ streams: records, walls: walls.map(exportedWall) }, null, 2) + "\n";
}

/** "browser-stream-2025-01-31.json" */
export function exportName(now: Date): string {
  return `browser-stream-${now.toISOString().slice(0, 10)}.json`;
}

/** The problems that keep an entry from being imported, beyond the problems of reading the entry. */
function importProblems({ stream, given, problems }: Entry, known: ReadonlyMap<string, Stream>) {
  const tooMuch = sizeProblem(given);
  if (tooMuch) return { "": `This is ${tooMuch}.` };
  if (new TextEncoder().encode(JSON.stringify(given)).length > MAX_BYTES) {
    return { "": `This is larger than ${MAX_BYTES / 1024} KiB.` };
  }
  if (stream && RESERVED.has(stream.id) && !known.has(stream.id)) {
    return { id: `The id "${stream.id}" is an address of the service. Example: "${stream.id}-2".` };
  }
  return problems;
}

/** The problems of all entries: `{"3 (Grafana): url": "…"}`. */
function* listProblems(
  entries: Entry[],
  known: ReadonlyMap<string, Stream>,
): Steps<Record<string, string>> {
  const problems: Record<string, string> = {};
  for (const entry of entries) {
    const label = labelOf(entry);
    for (const [field, problem] of Object.entries(importProblems(entry, known))) {
      problems[field ? `${label}: ${field}` : label] = problem;
    }
    yield;
  }
  return problems;
}

/** @throws {ServiceError} 400 with every problem of every entry. */
function* readImport(content: unknown, known: ReadonlyMap<string, Stream>): Steps<Entry[]> {
  // a record without an id is the stream of that name, so that a second import adds nothing
  const giveId: GiveId = (name, taken) => {
    const line = oneLine(name.slice(0, MAX_NAME));
    return [...known.values()].find((stream) => stream.name === line && !taken.has(stream.id))?.id ??
      freeId(slug(line), taken, known, RESERVED);
  };
  let entries: Entry[];
  try {
    ({ entries } = yield* readEntries(content, giveId, MAX_STREAMS, false));
  } catch (error) {
    if (error instanceof StreamFileError) {
      throw badInput({ "": `This cannot be imported: ${error.message}.` });
    }
    throw error;
  }
  refuseImport(yield* listProblems(entries, known));
  return entries;
}

/** @throws {ServiceError} 400 when there are problems, by entry and field. */
export function refuseImport(problems: Record<string, string>): void {
  const count = Object.keys(problems).length;
  if (count === 0) return;
  const what = count === 1 ? "One thing has" : `${count} things have`;
  throw new ServiceError(400, `Nothing was imported. ${what} to be corrected in the file.`, problems);
}

/** New streams, without a channel number that a stream has which was here before: another service counts from 1, too. */
function yielding(added: StoredStream[], stay: readonly StoredStream[]): StoredStream[] {
  const taken = new Set(stay.map(({ channelNumber }) => channelNumber));
  return added.map((stream) => taken.has(stream.channelNumber) ? { ...stream, channelNumber: 0 } : stream);
}

/** Says of each stream that has another channel number than in the file which one. */
function tellNumbers({ added, changed }: ImportSummary, entries: Entry[], streams: readonly Stream[]): void {
  const given = new Map<string, number>(streams.map(({ id, channelNumber }) => [id, channelNumber]));
  const wanted = new Map<string, number>(entries.map(({ stream }) => [stream!.id, stream!.channelNumber]));
  for (const one of [...added, ...changed]) {
    const [number, old] = [given.get(one.id), wanted.get(one.id)];
    if (old && old !== number) one.channelNumber = number;
  }
}

/** The problems of entries whose channel number another stream has after the import. */
function numberProblems(entries: Entry[], after: readonly StoredStream[]): Record<string, string> {
  const byId = new Map<string, StoredStream>(after.map((stream) => [stream.id, stream]));
  return Object.fromEntries(entries.flatMap((entry) => {
    const problem = takenNumberProblem(byId.get(entry.stream!.id)!, after);
    return problem ? [[`${labelOf(entry)}: channelNumber`, problem]] : [];
  }));
}

const labelOf = ({ at, name }: Entry) => name ? `${at} (${name})` : String(at);

/**
 * The stream of an entry; what only we know stays: secrets, also in addresses, position and state, unless the file has
 * them. A password that somebody else could then get does not stay.
 * @param held the channel numbers of the streams that are not in the file.
 */
function merged(
  { stream, given, lacksLogin }: Entry,
  old: Stream | undefined,
  held: ReadonlySet<number>,
): StoredStream {
  const fresh = withOverrideOf(undefined, { ...stream!, revision: 0 });
  if (!old) return fresh;
  const ours = ([...SECRET_FIELDS, "order", "desiredState", ...lacksLogin ? ["user"] as const : []] as const)
    .filter((field) => !Object.hasOwn(given, field));
  // a number stays with its channel until somebody gives it another one, which may be another's here by now
  const channelNumber = held.has(fresh.channelNumber)
    ? old.channelNumber
    : fresh.channelNumber || old.channelNumber;
  const next = {
    ...hiddenFields(old),
    ...withKnownSecrets(fresh, old, old.pushKey !== ""),
    channelNumber,
    ...Object.fromEntries(ours.map((field) => [field, old[field]])),
  } as Stream;
  for (const field of SECRET_FIELDS) {
    if (ours.includes(field) && keepProblem(old, next, field) !== null) next[field] = "";
  }
  return withRevision(old, withOverrideOf(old, next));
}

/** Whether a secret is missing after the import that was there before it, or when the file was made. */
function isMissed({ given, lacksLogin }: Entry, old: Stream | undefined, stream: StoredStream): boolean {
  const wasThere = (field: SecretField) =>
    given[setName(field)] === true || (field === "pass" && lacksLogin) ||
    (!Object.hasOwn(given, field) && old !== undefined && old[field] !== "");
  return lacksSecret(stream) || SECRET_FIELDS.some((field) => stream[field] === "" && wasThere(field));
}

/**
 * The changes that an import makes to the stored streams. A stream with an id of the list gets the list's settings;
 * the others stay.
 * @param content the file's JSON, in any form that streams.json may have.
 * @throws {ServiceError} 400 with every problem of every entry, as `{"3 (Grafana): url": "…"}`.
 */
export function planImport(content: unknown, streams: readonly Stream[]): ImportPlan {
  return finish(planningImport(content, streams));
}

/** `planImport` in steps: a thousand streams take 100 ms. */
export function* planningImport(content: unknown, streams: readonly Stream[]): Steps<ImportPlan> {
  const known = new Map(streams.map((stream) => [stream.id, stream]));
  const summary: ImportSummary = { added: [], changed: [], unchanged: [] };
  const results: StoredStream[] = [];
  const entries = yield* readImport(content, known);
  const inFile = new Set<string>(entries.map(({ stream }) => stream!.id));
  const held = new Set(streams.filter(({ id }) => !inFile.has(id)).map(({ channelNumber }) => channelNumber));
  for (const entry of entries) {
    const old = known.get(entry.stream!.id);
    const stream = merged(entry, old, held);
    const { id, name } = stream;
    const note = isMissed(entry, old, stream) ? { needsPassword: true as const } : {};
    if (!old) summary.added.push({ id, name, ...note });
    else if (stream === old) summary.unchanged.push(id);
    else summary.changed.push({ id, name, fields: changedFields(old, stream), ...note });
    results.push(stream);
    yield;
  }
  if (summary.added.length + summary.changed.length === 0) return { summary, streams };
  const after = new Map(results.map((stream) => [stream.id, stream]));
  const stay = streams.map((stream) => after.get(stream.id) ?? stream);
  if (streams.length + summary.added.length > MAX_STREAMS) {
    throw badInput({ "": `Nothing was imported: there would be more than ${MAX_STREAMS} streams.` });
  }
  const all = [...stay, ...yielding(results.filter(({ id }) => !known.has(id)), stay)];
  refuseImport(numberProblems(entries, all));
  const numbered = (streams.length === 0 ? withNumbers : withNextNumbers)(withOrder(all));
  tellNumbers(summary, entries, numbered);
  return { summary, streams: numbered };
}
