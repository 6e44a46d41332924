/**
 * The gate for requests below /t/{token}: an access token opens some of them. The path is compared, as the client sent
 * it, with a list of all open paths, so that no other spelling reaches anything else.
 */
import { ServiceError } from "../errors.ts";
import { opensStream } from "../model/answers/access.ts";
import type { AccessToken } from "../model/answers/shapes.ts";
import type { AccessTokens } from "./access_tokens.ts";
import { WrongTokens } from "./wrong_tokens.ts";

/** A request that an access token let in. */
export interface Access {
  /** The beginning of every address in an answer: "/t/{token}". */
  prefix: string;
  /** The requested path without the prefix. */
  path: string;
  /** The wall that is shown, whatever wall the address names; null: the address decides. */
  wall: string | null;
  /** Whether the token opens the stream. */
  maySee(stream: { id: string; group: string }): boolean;
  /** Whether the token still opens the requested path: an answer may go on for days. */
  holds(): boolean;
}

export interface AccessRequest {
  method: string;
  /** The path as the client sent it. */
  rawPath: string;
  /** The client's address, for the limit of failures. */
  client(): string;
}

/** The access of a request below /t/; null for all other requests. @throws {ServiceError} 404, 429. */
export type AccessGate = (request: AccessRequest) => Access | null;

export const ID = "[a-z0-9][a-z0-9-]{0,62}";
const FILE = "[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}";

/** A channel's files, pictures and transport stream; each path has the stream's id in a group of the pattern. */
export const STREAM_FILES =
  `/api/hls/live/(${ID})/${FILE}\\.(?:m3u8|ts)|/api/streams/(${ID})/(?:thumb|snapshot\\.(?:jpg|png)|mjpeg)|(?:/api)?/ts/(${ID})`;

/** The files of a wall's page. */
export const WALL_FILES = "/wall\\.css|/vendor/wall\\.js|/vendor/(?:hls\\.light\\.min|mpegts)\\.js";

/** The files by which a tuner is known, and the channels that it tunes, which name their stream. */
const TUNER_FILES = `/hdhr/(?:discover|lineup|lineup_status)\\.json|/hdhr/device\\.xml|(/hdhr/lineup\\.post)`;
const TUNED = `/hdhr/tune/(${ID})`;

/** All open paths: playlists, guide, channel list, tuner, walls, and the files of streams, which name their stream. */
const OPEN = new RegExp(
  `^/t/([^/]*)(/playlist\\.m3u8?|/epg\\.xml|/api/channels|/wall|${WALL_FILES}|/api/walls/${ID}/view|` +
    `${STREAM_FILES}|${TUNED}|${TUNER_FILES})$`,
);

/** The path behind the gate for a requested path. */
export function innerPath(path: string): string {
  return path.startsWith("/ts/") ? `/api${path}` : path;
}

/** One error for all refused requests: clients must not learn what exists, or which part was wrong. */
function refused(): ServiceError {
  return new ServiceError(
    404,
    "There is nothing at this address. If it worked before, its access was revoked or has ended. Ask for a new address.",
  );
}

/** @param groupOf the group of the stream with this id, if there is one. @param elapsed ms of a steady clock. */
export function createAccessGate(
  tokens: Pick<AccessTokens, "use">,
  groupOf: (id: string) => string | undefined,
  elapsed: () => number,
): AccessGate {
  const wrong = new WrongTokens("access tokens", elapsed);

  return ({ method, rawPath, client }) => {
    if (rawPath !== "/t" && !rawPath.startsWith("/t/")) return null;
    const [, token, path, channel, stream, transport, tuned, scan] = OPEN.exec(rawPath) ?? [];
    // a web player on another site asks with OPTIONS whether it may read a channel's files
    const isRead = method === "GET" || method === "HEAD" || (method === "OPTIONS" && channel !== undefined) ||
      (method === "POST" && scan !== undefined);
    if (token === undefined || !isRead) throw refused();
    const found = tokens.use(token);
    if (!found) throw wrong.note(client()) ?? refused();
    const maySee: Access["maySee"] = (one) => opensStream(found, one);
    const id = channel ?? stream ?? transport ?? tuned;
    const isOpen = (opens: Pick<AccessToken, "group" | "streams">) => {
      const group = id === undefined ? "" : groupOf(id);
      return id === undefined || (group !== undefined && opensStream(opens, { id, group }));
    };
    if (!isOpen(found)) throw refused();
    const holds = () => {
      const now = tokens.use(token);
      return now !== null && isOpen(now);
    };
    return { prefix: `/t/${token}`, path: innerPath(path), wall: null, maySee, holds };
  };
}
