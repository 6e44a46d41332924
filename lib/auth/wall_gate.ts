/**
 * The gate for requests to the host name that the browsers of walls' channels use (lib/net/wall_address.ts). The name
 * opens only the channel's own wall, for reading, and only with its token: any client can send the name itself.
 */
import { ServiceError } from "../errors.ts";
import type { Wall } from "../model/wall/wall.ts";
import { showsStream } from "../model/wall/view.ts";
import { type Access, type AccessRequest, ID, innerPath, STREAM_FILES, WALL_FILES } from "./access_gate.ts";
import type { WallTokens } from "./wall_tokens.ts";
import { WrongTokens } from "./wrong_tokens.ts";

/** The access of a request. @throws {ServiceError} 404, 429. */
export type WallGate = (request: AccessRequest) => Access;

interface WallGateParts {
  tokens: WallTokens;
  stream(id: string): { id: string; url: string } | undefined;
  wall(id: string): Wall | undefined;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

/** The wall's page, files and view, and its streams' channels and thumbnails, which name their stream. */
const OPEN = new RegExp(
  `^/t/([^/]*)(/wall|${WALL_FILES}|/api/walls/(${ID})/view|${STREAM_FILES})$`,
);

/** One error for all refused requests. */
function refused(): ServiceError {
  return new ServiceError(404, "There is nothing at this address.");
}

export function createWallGate({ tokens, stream, wall, elapsed }: WallGateParts): WallGate {
  const wrong = new WrongTokens("tokens for walls", elapsed);

  return ({ method, rawPath, client }) => {
    const [, token, path, view, channel, thumb, transport] = OPEN.exec(rawPath) ?? [];
    if (token === undefined || (method !== "GET" && method !== "HEAD")) throw refused();
    const opened = tokens.opened(token, stream);
    if (!opened) throw wrong.note(client()) ?? refused();
    const id = opened.wall;
    const maySee = (one: { id: string }) => {
      const known = stream(one.id);
      return known !== undefined && showsStream(id, wall(id) ?? null, known);
    };
    if (view !== undefined && view !== id) throw refused();
    const shown = channel ?? thumb ?? transport;
    if (shown !== undefined && !maySee({ id: shown })) throw refused();
    const holds = () =>
      tokens.opened(token, stream)?.wall === id && (shown === undefined || maySee({ id: shown }));
    return { prefix: `/t/${token}`, path: innerPath(path), wall: id, maySee, holds };
  };
}
