/**
 * Requests below /t/{token}: which of them an access token opens. The path is compared as it was sent, with a list of
 * all there is to be had, so that nothing else can be reached from there by whatever spelling.
 */
import { ServiceError } from "../errors.ts";
import { opensStream } from "../model/answers/access.ts";
import type { AccessToken } from "../model/answers/shapes.ts";
import type { AccessTokens } from "./access_tokens.ts";
import { WrongTokens } from "./wrong_tokens.ts";

/** A request that an access token let in. */
export interface Access {
  /** What every address that is handed out begins with: "/t/{token}". */
  prefix: string;
  /** The path that is asked for, without the prefix. */
  path: string;
  /** The wall that is shown, whatever the address asks for; null: the one that is asked for. */
  wall: string | null;
  /** Whether the token opens the stream. */
  maySee(stream: { id: string; group: string }): boolean;
  /** Whether the token still opens what was asked for: an answer may go on for days. */
  holds(): boolean;
}

export interface AccessRequest {
  method: string;
  /** As it was sent. */
  rawPath: string;
  /** The client, as the limit of failures tells clients apart. */
  client(): string;
}

/** The access of a request below /t/; null for all others. @throws {ServiceError} 404, 429. */
export type AccessGate = (request: AccessRequest) => Access | null;

export const ID = "[a-z0-9][a-z0-9-]{0,62}";
const FILE = "[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}";

/** A channel's files, a stream's thumbnail, and a channel's transport stream; each names its stream, in a group of its own. */
export const STREAM_FILES =
  `/api/hls/live/(${ID})/${FILE}\\.(?:m3u8|ts)|/api/streams/(${ID})/thumb|(?:/api)?/ts/(${ID})`;

/** What the page of a wall is made of. */
export const WALL_FILES = "/wall\\.css|/vendor/wall\\.js|/vendor/hls\\.light\\.min\\.js";

/** Playlists, guide, the list of channels, walls, a channel's files and a stream's thumbnail; the last two name their stream. */
const OPEN = new RegExp(
  `^/t/([^/]*)(/playlist\\.m3u8?|/epg\\.xml|/api/channels|/wall|${WALL_FILES}|/api/walls/${ID}/view|${STREAM_FILES})$`,
);

/** The path behind the gate of what is asked for. */
export function innerPath(path: string): string {
  return path.startsWith("/ts/") ? `/api${path}` : path;
}

/** One for everything that is refused: what is there, and which part was wrong, is nobody's business. */
function refused(): ServiceError {
  return new ServiceError(
    404,
    "There is nothing at this address. If it worked before, its access was revoked or is over: ask for a new address.",
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
    const [, token, path, channel, stream, transport] = OPEN.exec(rawPath) ?? [];
    // a web player on another site asks with OPTIONS whether it may read a channel's files
    const isRead = method === "GET" || method === "HEAD" || (method === "OPTIONS" && channel !== undefined);
    if (token === undefined || !isRead) throw refused();
    const found = tokens.use(token);
    if (!found) throw wrong.note(client()) ?? refused();
    const maySee: Access["maySee"] = (one) => opensStream(found, one);
    const id = channel ?? stream ?? transport;
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
