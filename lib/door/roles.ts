/** The least role for each address: one table, which the gate asks, and the API's description tells. */
import { ServiceError } from "../errors.ts";
import { isWebSocket } from "./access.ts";
import { rawPath } from "./errors.ts";
import { higher, holdersOf, isAtLeast, type Role } from "../role.ts";

/** By method and address, as the API's description writes them. GET stands for HEAD and OPTIONS, too. */
export const LEAST_ROLES: Readonly<Record<string, Role>> = {
  // the board, channels and walls
  "GET /": "viewer",
  "GET /wall": "viewer",
  "GET /incidents": "viewer",
  // an operator's, unless a stream on it says so (routes/wall/rewind.tsx)
  "GET /wall/rewind": "viewer",
  "GET /static/{id}": "viewer",
  "GET /player/{id}": "viewer",
  "GET /player/{id}.html": "viewer",
  "POST /logout": "viewer",
  "GET /playlist.m3u": "viewer",
  "GET /playlist.m3u8": "viewer",
  "GET /epg.xml": "viewer",
  "GET /hdhr/device.xml": "viewer",
  "GET /hdhr/discover.json": "viewer",
  "GET /hdhr/lineup.json": "viewer",
  "GET /hdhr/lineup_status.json": "viewer",
  "POST /hdhr/lineup.post": "viewer",
  "GET /hdhr/tune/{id}": "viewer",
  // with ?utc= an operator's, unless the stream says so (routes/api/hls)
  "GET /api/hls/{path}": "viewer",
  "GET /api/ts/{id}": "viewer",
  "GET /api/player-html/{id}": "viewer",
  "GET /api/channels": "viewer",
  "GET /api/config": "viewer",
  "GET /api/events": "viewer",
  "GET /api/incidents": "viewer",
  "GET /api/figures": "viewer",
  "GET /api/openapi.json": "viewer",
  "GET /api/system": "viewer",
  "GET /api/streams": "viewer",
  "GET /api/streams/heartbeats": "viewer",
  "GET /api/streams/playlist": "viewer",
  "GET /api/streams/statuses": "viewer",
  "GET /api/streams/{id}": "viewer",
  "GET /streams/{id}": "viewer",
  // an operator's, unless the stream says so, as what it asks for (lib/rewind/rewind.ts)
  "GET /streams/{id}/rewind": "viewer",
  "GET /password": "viewer",
  "POST /password": "viewer",
  "GET /api/streams/{id}/events": "viewer",
  "GET /api/streams/{id}/heartbeats": "viewer",
  "GET /api/streams/{id}/mjpeg": "viewer",
  // an operator's, unless the stream says so (lib/rewind/rewind.ts)
  "GET /api/streams/{id}/rewind": "viewer",
  "GET /api/streams/{id}/rewind/changes": "viewer",
  "GET /api/streams/{id}/rewind/exports": "viewer",
  "POST /api/streams/{id}/rewind/exports": "operator",
  "GET /api/streams/{id}/rewind/exports/{film}": "viewer",
  "DELETE /api/streams/{id}/rewind/exports/{film}": "operator",
  "GET /api/streams/{id}/rewind/index.m3u8": "viewer",
  "GET /api/streams/{id}/rewind/picture.jpg": "viewer",
  "GET /api/streams/{id}/rewind/segment.ts": "viewer",
  "GET /api/streams/{id}/rewind/small.jpg": "viewer",
  "GET /api/streams/{id}/snapshot.jpg": "viewer",
  "GET /api/streams/{id}/snapshot.png": "viewer",
  "GET /api/streams/{id}/thumb": "viewer",
  "POST /api/streams/{id}/thumb": "viewer",
  "GET /api/walls": "viewer",
  "GET /api/walls/{id}": "viewer",
  "GET /api/walls/{id}/view": "viewer",

  // streams: their settings, browsers and logs
  "GET /vnc/{id}": "operator",
  "GET /streams/{id}/log": "operator",
  "GET /nodes": "operator",
  "GET /metrics": "operator",
  "GET /api/extensions": "operator",
  "GET /api/nodes": "operator",
  "GET /api/webvnc/{path}": "operator",
  "POST /api/streams": "operator",
  "POST /api/streams/import": "operator",
  "PUT /api/streams/reorder": "operator",
  "POST /api/streams/try": "operator",
  "PUT /api/streams/{id}": "operator",
  "PATCH /api/streams/{id}": "operator",
  "DELETE /api/streams": "operator",
  "DELETE /api/streams/{id}": "operator",
  "POST /api/streams/{id}/autoreload": "operator",
  "POST /api/streams/{id}/home": "operator",
  "GET /api/streams/{id}/log": "operator",
  "GET /api/streams/{id}/log/{program}": "operator",
  "POST /api/streams/{id}/recreate": "operator",
  "POST /api/streams/{id}/restart": "operator",
  "POST /api/streams/{id}/start": "operator",
  "POST /api/streams/{id}/stop": "operator",
  "GET /api/streams/{id}/vnc": "operator",
  "POST /api/walls": "operator",
  "PUT /api/walls/{id}": "operator",
  "PATCH /api/walls/{id}": "operator",
  "DELETE /api/walls/{id}": "operator",

  // the service: who gets in, where messages go, all settings in one file
  "GET /people": "admin",
  "POST /people": "admin",
  "POST /nodes": "admin",
  "POST /api/nodes/{name}/drain": "admin",
  "POST /api/nodes/{name}/resume": "admin",
  "GET /api/streams/export": "admin",
  "GET /api/access-tokens": "admin",
  "POST /api/access-tokens": "admin",
  "DELETE /api/access-tokens/{id}": "admin",
  "GET /api/users": "admin",
  "POST /api/users": "admin",
  "PATCH /api/users/{name}": "admin",
  "DELETE /api/users/{name}": "admin",
  "POST /api/users/{name}/logout": "admin",
  "GET /messages": "admin",
  "GET /api/receivers": "admin",
  "POST /api/receivers": "admin",
  "PATCH /api/receivers/{id}": "admin",
  "DELETE /api/receivers/{id}": "admin",
  "POST /api/receivers/{id}/test": "admin",
  "GET /api/webhook": "admin",
  "POST /api/webhook/test": "admin",
};

interface Entry {
  method: string;
  pattern: RegExp;
  least: Role;
}

const ENTRIES: readonly Entry[] = Object.entries(LEAST_ROLES).map(([address, least]) => {
  const [method, path] = address.split(" ");
  const source = path.replaceAll(".", "\\.").replace("{path}", ".+").replaceAll(/\{\w+\}/g, "[^/]+");
  return { method, pattern: new RegExp(`^${source}$`), least };
}).sort((one, other) =>
  Number(one.pattern.source.includes("+")) - Number(other.pattern.source.includes("+"))
);

/** The first parts of the addresses in the table. */
const FIRST = new Set(Object.keys(LEAST_ROLES).map((address) => address.split("/")[1]).filter(Boolean));

/** Of files that the app serves as they are: plain names alone, so that no other spelling of an address is among them. */
const FILE = /^\/(?:[\w.-]+\/)*[\w.-]+$/;
const VNC_FILE = /^\/api\/webvnc\//;

function leastOf(method: string, path: string): Role {
  const read = method === "HEAD" || method === "OPTIONS" ? "GET" : method;
  const plain = path.length > 1 ? path.replace(/\/$/, "") : path;
  const found = ENTRIES.find((entry) => entry.method === read && entry.pattern.test(plain));
  if (found) return found.least;
  // OPTIONS of an address without GET says just that
  if (method === "OPTIONS" && ENTRIES.some(({ pattern }) => pattern.test(plain))) return "viewer";
  const isFile = read === "GET" && FILE.test(path) && !path.includes("..") && !FIRST.has(path.split("/")[1]);
  return isFile ? "viewer" : "admin";
}

/**
 * The least role of a request. What the table does not know takes an admin, but for files. A WebSocket is the same one on
 * every path, a stream's browser, unless it is a channel's.
 */
export function leastRole(request: Request): Role {
  const path = rawPath(request.url);
  if (isWebSocket(request)) return /^\/api\/ts\/[^/]+$/.test(path) ? "viewer" : "operator";
  // the app reads the tidied path, in which ".." is gone
  const { pathname } = new URL(request.url);
  const [raw, tidied] = [path, pathname].map((one) =>
    VNC_FILE.test(one) ? "operator" : leastOf(request.method, one)
  );
  return higher(raw, tidied);
}

/** @param role null: a proxy names a person without one. @throws {ServiceError} 403 when the role is not enough. */
export function refuseRole(role: Role | null, least: Role): void {
  if (role === null) {
    throw new ServiceError(
      403,
      "Your account is in no group that has a role here. Ask an admin: ROLE_GROUPS names them.",
    );
  }
  if (isAtLeast(role, least)) return;
  throw new ServiceError(403, `Only ${holdersOf(least)} can do this. Your role is ${role}. Ask an admin.`);
}
