/** Bodies of requests -> streams. Pure. */
import { isDeepStrictEqual } from "node:util";
import { badInput, ServiceError } from "../errors.ts";
import { withNameRule } from "./entered/title_name.ts";
import { isOnWallHost } from "../reach/wall_address.ts";
import { nextNumber, takenNumberProblem } from "./channel.ts";
import { takenApart } from "./entered/address_logins.ts";
import { freeId, RESERVED, slug } from "./id.ts";
import { parsePushTarget } from "../machine/net/push_target.ts";
import { keepProblem } from "./kept_secrets.ts";
import {
  fieldProblems,
  hiddenFields,
  MAX_ORDER,
  newStream,
  publicStream,
  type StoredStream,
  storedStream,
  type Stream,
} from "./schema.ts";
import { SECRET_FIELDS, setName } from "./secrets.ts";
import { withOverrideOf } from "./plan/stop_until.ts";
import { otherAddresses } from "./plan/timetable.ts";

type Json = Record<string, unknown>;

/** Unknown fields are stored with indents, so the file grows with the square of their depth. */
const MAX_DEPTH = 16;

/** Whether the JSON value has objects or lists in each other on more levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** A limit against mistakes: each stream is a browser, and no machine runs so many. */
export const MAX_STREAMS = 1000;

/** A stream has some 40 fields of ours; fields of other tools may be lists and objects. */
const MAX_VALUES = 250;

/** The problem that keeps a record from being stored, or null. @param most values; by default as many as a stream's. */
export function sizeProblem(record: unknown, most = MAX_VALUES): string | null {
  if (isDeeper(record, MAX_DEPTH)) return `nested deeper than ${MAX_DEPTH} levels`;
  return countValues(record, most) > most ? `made of more than ${most} values` : null;
}

/** The number of values in a JSON value, itself included; any number above `most` when there are more. */
function countValues(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value)) {
    count += countValues(inner, most);
    if (count > most) break;
  }
  return count;
}

/** @throws {ServiceError} 400 when the body is no JSON object, or too deep or large. */
function asObject(body: unknown): Json {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) {
    const problem = sizeProblem(body);
    if (problem) throw badInput({ "": `The body is ${problem}.` });
    return body as Json;
  }
  throw badInput({ "": 'The body must be a JSON object such as {"name": "Grafana", "url": "https://…"}.' });
}

/** The body without the fields that a request cannot set. */
function withoutReadOnly(
  { order: _order, revision: _revision, planOverride: _override, ...body }: Json,
): Json {
  for (const field of SECRET_FIELDS) delete body[setName(field)];
  return body;
}

/** @throws {ServiceError} 400 when a wall is to be one of several pages: the wall's browser reaches nothing else. */
function refuseWallAmongOthers(stream: Pick<StoredStream, "url" | "morePages" | "plan">): void {
  if (!isOnWallHost(stream.url)) return;
  const problem = "This stream shows a wall, and no other page. Show the others by a stream of their own.";
  if (stream.morePages !== "") throw badInput({ morePages: problem });
  if (otherAddresses(stream).length > 0) throw badInput({ plan: problem });
}

/** @throws {ServiceError} 400 when another stream has the channel number of this one. */
function refuseTakenNumber(
  stream: Pick<StoredStream, "id" | "name" | "channelNumber">,
  streams: readonly Stream[],
): void {
  const problem = takenNumberProblem(stream, streams);
  if (problem) throw badInput({ channelNumber: problem });
}

/** @throws {ServiceError} 400 when another stream waits for its receiver at the same port: one of them alone could have it. */
function refuseTakenListener(
  { id, pushTo }: Pick<Stream, "id" | "pushTo">,
  streams: readonly Stream[],
): void {
  const port = listenerPort(pushTo);
  const other = port === null
    ? undefined
    : streams.find((one) => one.id !== id && listenerPort(one.pushTo) === port);
  if (!other) return;
  throw badInput({
    pushTo: `At port ${port} "${other.name}" waits for its receiver. Choose another port. ` +
      "Example: srt://0.0.0.0:9001?mode=listener",
  });
}

function listenerPort(pushTo: string): number | null {
  const target = parsePushTarget(pushTo);
  return target?.isListener ? target.port : null;
}

/**
 * The stream of a POST body; id is the slug of the name unless given.
 * @throws {ServiceError} 400 with the problem of each field, also when the given id is taken.
 */
export function streamFromBody(body: unknown, streams: readonly Stream[]): Stream {
  const { fields, problems } = takenApart(withoutReadOnly(asObject(body)));
  const result = newStream.safeParse(fields);
  if (streams.length >= MAX_STREAMS) throw badInput({ "": `There are ${MAX_STREAMS} streams already.` });
  if (!result.success) throw badInput({ ...problems, ...fieldProblems(result.error) });
  refuse(problems);
  refuseWallAmongOthers(result.data);
  const taken = new Set([...RESERVED, ...streams.map((stream) => stream.id)]);
  if (result.data.id !== undefined && taken.has(result.data.id)) {
    throw badInput({ id: `The id "${result.data.id}" is taken. Leave it out to get a free one.` });
  }
  const id = result.data.id ?? freeId(slug(result.data.name), taken);
  refuseTakenNumber({ ...result.data, id }, streams);
  refuseTakenListener({ ...result.data, id }, streams);
  const order = streams.reduce((most, stream) => Math.max(most, stream.order), -1) + 1;
  const channelNumber = result.data.channelNumber || nextNumber(streams);
  return { ...result.data, id, channelNumber, order: Math.min(order, MAX_ORDER), revision: 0 };
}

/** @throws {ServiceError} 400 when there are problems. */
function refuse(problems: Record<string, string>): void {
  if (Object.keys(problems).length > 0) throw badInput(problems);
}

/** The names of the fields that differ, but for the revision. */
export function changedFields(before: StoredStream, after: StoredStream): string[] {
  return Object.keys({ ...before, ...after }).filter((field) =>
    field !== "revision" && !isDeepStrictEqual(before[field], after[field])
  );
}

/** A stream's position and wanted state are not settings: their changes disturb nobody who edits the stream. */
export const NO_SETTING: readonly string[] = ["order", "desiredState", "planOverride", "nameFollowsTitle"];

/** The changed stream with its revision: one more if a setting differs; the same object if nothing differs. */
export function withRevision(before: Stream, after: Stream): Stream {
  const fields = changedFields(before, after);
  if (fields.length === 0) return before;
  const isSetting = fields.some((field) => !NO_SETTING.includes(field));
  return { ...after, revision: before.revision + (isSetting ? 1 : 0) };
}

/** @throws {ServiceError} 409 with the current stream when the body was made from another revision. */
function checkRevision(stream: Stream, { revision }: Json): void {
  if (revision === undefined || revision === stream.revision) return;
  if (!Number.isSafeInteger(revision)) {
    throw badInput({ revision: "The revision must be the number that came with the stream, such as 3." });
  }
  throw new ServiceError(
    409,
    `"${stream.name}" was changed meanwhile. Compare with what is stored now, then save again.`,
    undefined,
    { extra: { current: publicStream(stream) } },
  );
}

/**
 * The stream after a PATCH (`keep`: absent fields stay) or a PUT (absent fields get their default; secrets that are
 * absent stay, since they are never sent out). The very same stream if nothing changes.
 * @throws {ServiceError} 400 with the problem of each field, also when a stored secret could go to another origin and is
 * not given again, and when another one of the streams has its number; 409 when the body has another revision.
 */
export function changedStream(
  stream: Stream,
  body: unknown,
  keep: boolean,
  streams: readonly Stream[] = [],
): Stream {
  const given = asObject(body);
  checkRevision(stream, given);
  const { fields: changes, problems: misplaced } = takenApart(withoutReadOnly(given), stream);
  if (changes.id !== undefined && changes.id !== stream.id) {
    throw badInput({ id: "A stream's id cannot be changed: addresses of its viewers contain it." });
  }
  const { id, order, revision, desiredState } = stream;
  const secrets = Object.fromEntries(SECRET_FIELDS.map((field) => [field, stream[field]]));
  const base = keep ? stream : { ...hiddenFields(stream), ...secrets, desiredState };
  const result = storedStream.safeParse({ ...base, ...changes, id, order, revision });
  if (!result.success) throw badInput({ ...misplaced, ...fieldProblems(result.error) });
  refuse(misplaced);
  refuseWallAmongOthers(result.data);
  // a number stays with its channel until somebody gives it another one
  result.data.channelNumber ||= stream.channelNumber;
  if (result.data.channelNumber !== stream.channelNumber) refuseTakenNumber(result.data, streams);
  if (result.data.pushTo !== stream.pushTo) refuseTakenListener(result.data, streams);
  const problems = SECRET_FIELDS.filter((field) => stream[field] !== "" && changes[field] === undefined)
    .flatMap((field) => {
      const problem = keepProblem(stream, result.data, field);
      return problem === null ? [] : [[field, problem]];
    });
  // a person without a form, as at a card, reads the message alone
  const message = problems.map(([, problem]) => problem).join(" ");
  if (problems.length > 0) throw badInput({ "": message, ...Object.fromEntries(problems) });
  const named = withNameRule(stream, given, { ...result.data, order });
  return withRevision(stream, withOverrideOf(stream, named));
}

/** The fields that the auto-reload's own address changes, with their allowed values. */
const AUTO_RELOAD: Record<string, string> = {
  autoReload: "autoReload is true or false.",
  autoReloadInterval: "autoReloadInterval is a number of minutes, such as 30.",
};

/**
 * The change of a body that may set auto-reload only.
 * @throws {ServiceError} 400 when the body sets nothing, or any other field.
 */
export function autoReloadChange(body: unknown): Json {
  const change = asObject(body);
  const names = Object.keys(change);
  const example = 'Example: {"autoReload": true, "autoReloadInterval": 30}';
  if (names.length === 0) {
    throw badInput({ "": `Send autoReload, autoReloadInterval or both. ${example}`, ...AUTO_RELOAD });
  }
  const others = names.filter((name) => !Object.hasOwn(AUTO_RELOAD, name));
  const problem = `Only autoReload and autoReloadInterval can be set here. ${example}`;
  if (others.length > 0) throw badInput(Object.fromEntries(others.map((name) => [name, problem])));
  return change;
}
