/**
 * An access token, which lets one app play without a login. This file has the token's settings; the token itself is
 * shown once and never stored (lib/door/access). Pure.
 */
import * as z from "zod";
import { badInput } from "../../errors.ts";
import { enteredLine, type LineRule, storedLine } from "../entered/line.ts";
import { isSameGroup } from "../group.ts";
import { STREAM_ID, type StreamId } from "../id.ts";
import { fieldProblems } from "../schema.ts";
import type { AccessToken } from "./shapes.ts";

export const ACCESS_ID = /^[0-9a-f]{12}$/;

/** More tokens than any household or hotel has apps. */
export const MAX_ACCESS_TOKENS = 500;
const MAX_STREAMS = 1000;
/** The last moment that a Date can have (ECMA-262, 21.4.1.1). */
const MAX_TIME = 8_640_000_000_000_000;

const nameProblem = 'A name is needed, such as "Living room TV".';
const NAME: LineRule = { label: "A name", most: 60, problem: nameProblem };
/** A token without a group is for all streams: what shows nothing is none. */
const GROUP: LineRule = {
  label: "A group",
  most: 60,
  problem: 'group is a text such as "Walls".',
  isOptional: true,
};

const streamsProblem = 'streams is a list of ids, such as ["news", "grafana"].';
const streams = z.array(
  z.string({ error: streamsProblem }).regex(STREAM_ID, streamsProblem).transform((id) => id as StreamId),
  { error: streamsProblem },
).max(MAX_STREAMS, `At most ${MAX_STREAMS} streams can be chosen.`);

const time = z.number().int().min(0).max(MAX_TIME);

const expiryProblem = "expiresAt is a time as Unix milliseconds or as in 2027-01-31T12:00:00Z.";
const expiry = z.union([time, z.iso.datetime({ offset: true }).transform(Date.parse)], {
  error: expiryProblem,
});

/** The body of POST /api/access-tokens. Strict: with an unknown "expires", a token would live for ever. */
export const newAccessToken = z.strictObject({
  name: enteredLine(NAME),
  expiresAt: expiry.nullable().default(null),
  group: enteredLine(GROUP).default(""),
  streams: streams.min(1, "Choose at least one stream.").nullable().default(null),
}, {
  error: 'The body has a name and may have expiresAt, group and streams. Example: {"name": "Living room TV"}',
});

/** A record of the file. `loose`: fields of newer versions survive a rewrite. */
export const storedAccessToken = z.looseObject({
  id: z.string().regex(ACCESS_ID),
  name: storedLine(NAME),
  /** SHA-256 of the token, as hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: time,
  expiresAt: time.nullable().default(null),
  group: storedLine(GROUP).default(""),
  streams: streams.nullable().default(null),
  lastUsedAt: time.nullable().default(null),
});

export type StoredAccessToken = z.output<typeof storedAccessToken>;

/**
 * The settings of a POST body.
 * @param known the ids of all streams. @param now Unix ms.
 * @throws {ServiceError} 400 with the problem of each field.
 */
export function accessTokenFromBody(
  body: unknown,
  known: readonly string[],
  now: number,
): z.output<typeof newAccessToken> {
  const result = newAccessToken.safeParse(body);
  if (!result.success) throw badInput(fieldProblems(result.error));
  const { expiresAt, group, streams } = result.data;
  if (expiresAt !== null && expiresAt <= now) {
    throw badInput({ expiresAt: "This time has passed. Choose a later one." });
  }
  if (group !== "" && streams !== null) {
    throw badInput({ streams: "A token opens a group or single streams, not both." });
  }
  const unknown = streams?.find((id) => !known.includes(id));
  if (unknown !== undefined) throw badInput({ streams: `There is no stream "${unknown}".` });
  return { ...result.data, streams: streams && [...new Set(streams)] };
}

/** The token as the API shows it. */
export function publicAccessToken(stored: StoredAccessToken): AccessToken {
  const { id, name, createdAt, expiresAt, group, streams, lastUsedAt } = stored;
  return { id, name, createdAt, expiresAt, group, streams, lastUsedAt };
}

/** Whether the token opens the stream. */
export function opensStream(
  { group, streams }: Pick<AccessToken, "group" | "streams">,
  stream: { id: string; group: string },
): boolean {
  const isChosen = streams === null || streams.some((id) => id === stream.id);
  return isChosen && (group === "" || isSameGroup(group, stream.group));
}
