/**
 * The gate for addresses with a token, below /t/{token}: a table of the two kinds of tokens, and the paths that each opens.
 * The path is compared, as the client sent it, with all open paths, so that no other spelling reaches anything else.
 *
 * Tokens that stand elsewhere: METRICS_TOKEN in a header opens /metrics (metrics_token.ts), a pass of another node in a
 * header opens one request for a minute (pass.ts), and a VNC token in the query opens one display (lib/takeover/tokens.ts).
 */
import { ServiceError } from "../../errors.ts";
import { opensStream } from "../../model/answers/access.ts";
import { showsStream } from "../../model/wall/view.ts";
import type { Wall } from "../../model/wall/wall.ts";
import type { AccessTokens } from "./access_tokens.ts";
import type { WallTokens } from "./wall_tokens.ts";
import { WrongTokens } from "./wrong_tokens.ts";

/** A request that a token let in. */
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

/** The access of a request. @throws {ServiceError} 404 for all that no token opens, 429. */
export type TokenGate = (request: AccessRequest) => Access;

type Opened = Pick<Access, "wall" | "maySee">;

/** A kind of tokens: its holders, and all that they open. */
interface TokenKind {
  /** The tokens in the plural, for the message about wrong ones. */
  name: string;
  /** The open paths. */
  paths: RegExp;
  /** Whether players on other sites ask with OPTIONS if they may read a channel's files. */
  isForOtherSites: boolean;
  /** The one sentence for all refused requests: clients must not learn what exists, or which part was wrong. */
  refusal: string;
  /** What a token opens now; null: it is not valid, or not any more. */
  opened(token: string): Opened | null;
}

const ID = "[a-z0-9][a-z0-9-]{0,62}";
const FILE = "[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}";

/** A channel's files, pictures, transport stream and past; each path names its stream. */
const STREAM_FILES = [
  `(?<hls>/api/hls/live/(?<stream>${ID})/${FILE}\\.(?:m3u8|ts))`,
  `/api/streams/(?<stream>${ID})/(?:thumb|snapshot\\.(?:jpg|png)|mjpeg)`,
  `/api/streams/(?<stream>${ID})/rewind(?:/(?:(?:picture|small)\\.jpg|index\\.m3u8|segment\\.ts))?`,
  `(?:/api)?/ts/(?<stream>${ID})`,
];

/** The page of a wall, its files and its view, which names the wall. */
const WALL_FILES = [
  ...["/wall", "/wall\\.css", "/vendor/wall\\.js", "/vendor/(?:hls\\.light\\.min|mpegts)\\.js"],
  `/api/walls/(?<wall>${ID})/view`,
];

const LISTS = ["/playlist\\.m3u8?", "/epg\\.xml", "/api/channels"];

/** The files by which a tuner is known, and the channels that it tunes. A client sends its order to scan by POST. */
const TUNER_FILES = [
  ...["/hdhr/(?:discover|lineup|lineup_status)\\.json", "/hdhr/device\\.xml", "(?<scan>/hdhr/lineup\\.post)"],
  `/hdhr/tune/(?<stream>${ID})`,
];

const below = (paths: string[]) => new RegExp(`^/t/(?<token>[^/]*)(?<path>${paths.join("|")})$`);

/** The tokens of apps, which people make and revoke: playlists, guide, tuner, walls, and the streams of the token. */
export const tokensOfApps = (tokens: Pick<AccessTokens, "use">): TokenKind => ({
  name: "access tokens",
  paths: below([...LISTS, ...TUNER_FILES, ...WALL_FILES, ...STREAM_FILES]),
  isForOtherSites: true,
  refusal: "There is nothing at this address. If it worked before, its access was revoked or has ended. " +
    "Ask for a new address.",
  opened(token) {
    const found = tokens.use(token);
    return found && { wall: null, maySee: (stream) => opensStream(found, stream) };
  },
});

/**
 * The tokens of the browsers that show walls as channels, at a host name of their own (lib/reach/wall_address.ts), which
 * any client can send: the channel's own wall and the streams on it, as long as the stream shows that wall.
 */
export const tokensOfWalls = (
  tokens: WallTokens,
  streamOf: (id: string) => { id: string; url: string } | undefined,
  wallOf: (id: string) => Wall | undefined,
): TokenKind => ({
  name: "tokens for walls",
  paths: below([...WALL_FILES, ...STREAM_FILES]),
  isForOtherSites: false,
  refusal: "There is nothing at this address.",
  opened(token) {
    const found = tokens.opened(token, streamOf);
    if (!found) return null;
    const maySee = ({ id }: { id: string }) => {
      const stream = streamOf(id);
      return stream !== undefined && showsStream(found.wall, wallOf(found.wall) ?? null, stream);
    };
    return { wall: found.wall, maySee };
  },
});

/** Whether a path is one that a token of an app may open: all others are no affair of its gate. */
export const isBelowToken = (rawPath: string): boolean => rawPath === "/t" || rawPath.startsWith("/t/");

/** @param groupOf the group of the stream with this id, if there is one. @param elapsed ms of a steady clock. */
export function createTokenGate(
  { name, paths, isForOtherSites, refusal, opened }: TokenKind,
  groupOf: (id: string) => string | undefined,
  elapsed: () => number,
): TokenGate {
  const wrong = new WrongTokens(name, elapsed);
  const refused = () => new ServiceError(404, refusal);

  return ({ method, rawPath, client }) => {
    const asked = paths.exec(rawPath)?.groups;
    if (!asked) throw refused();
    const { token, path, stream: id, wall, hls, scan } = asked as Record<string, string | undefined>;
    const isRead = method === "GET" || method === "HEAD" ||
      (method === "OPTIONS" && hls !== undefined && isForOtherSites) ||
      (method === "POST" && scan !== undefined);
    if (token === undefined || path === undefined || !isRead) throw refused();
    const found = opened(token);
    if (!found) throw wrong.note(client()) ?? refused();
    const isOpen = ({ wall: own, maySee }: Opened) => {
      if (wall !== undefined && own !== null && wall !== own) return false;
      const group = id === undefined ? "" : groupOf(id);
      return id === undefined || (group !== undefined && maySee({ id, group }));
    };
    if (!isOpen(found)) throw refused();
    const holds = () => {
      const now = opened(token);
      return now !== null && isOpen(now);
    };
    return { prefix: `/t/${token}`, path: innerPath(path), ...found, holds };
  };
}

/** The path behind the gate for a requested path. */
function innerPath(path: string): string {
  return path.startsWith("/ts/") ? `/api${path}` : path;
}
