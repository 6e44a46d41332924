import { strict as assert } from "node:assert";
import { join } from "node:path";
import { createTokenGate, tokensOfWalls } from "../../../../lib/door/access/token_gate.ts";
import { WallTokens } from "../../../../lib/door/access/wall_tokens.ts";
import { ServiceError } from "../../../../lib/errors.ts";
import { WALL_HOST, wallAddress } from "../../../../lib/reach/wall_address.ts";
import { type Wall, wallFromBody } from "../../../../lib/model/wall/wall.ts";
import { tempDir } from "../../../support/fixture.ts";

const url = "https://example.org/";
const slots = [{ row: 1, column: 1, stream: "news" }];

async function aGate() {
  const dir = await tempDir("/dev/shm");
  const file = join(dir.path, "wall-secret");
  const tokens = await WallTokens.open(file);
  const streams = new Map<string, { id: string; url: string }>();
  for (const id of ["news", "clock"]) streams.set(id, { id, url });
  for (const [id, wall] of [["mirror", "lobby"], ["other", "office"]]) {
    streams.set(id, { id, url: wallAddress(wall) });
  }
  const walls = new Map<string, Wall>([["lobby", wallFromBody({ name: "Lobby", slots }, [])]]);
  const kind = tokensOfWalls(tokens, (id) => streams.get(id), (id) => walls.get(id));
  const gate = createTokenGate(kind, (id) => streams.has(id) ? "" : undefined, () => 0);
  /** The status of an answer, 200 for what is let in. */
  const status = (rawPath: string, method = "GET") => {
    try {
      gate({ method, rawPath, client: () => "127.0.0.1" });
      return 200;
    } catch (error) {
      return (error as ServiceError).status;
    }
  };
  const prefixOf = (id: string) =>
    new URL(tokens.pageAddress(streams.get(id)!)).pathname.replace(/\/wall$/, "");
  return {
    file,
    tokens,
    streams,
    walls,
    gate,
    status,
    prefixOf,
    [Symbol.asyncDispose]: dir[Symbol.asyncDispose],
  };
}

Deno.test("the browser of a wall's channel opens that wall with its token, and the streams on it", async () => {
  await using it = await aGate();
  const address = it.tokens.pageAddress(it.streams.get("mirror")!);
  assert.match(address, new RegExp(`^http://${WALL_HOST}/t/mirror\\.[\\w-]{43}/wall\\?layout=lobby$`));
  assert.equal(it.tokens.pageAddress({ id: "news", url }), url, "other pages are as they were");
  const prefix = it.prefixOf("mirror");
  const opened = [
    ...[
      "/wall",
      "/wall.css",
      "/vendor/wall.js",
      "/vendor/hls.light.min.js",
      "/vendor/mpegts.js",
      "/api/walls/lobby/view",
    ],
    ...["/api/hls/live/news/index.m3u8", "/api/hls/live/news/1.ts", "/api/streams/news/thumb"],
  ];
  for (const path of opened) assert.equal(it.status(prefix + path), 200, path);
  const access = it.gate({ method: "GET", rawPath: `${prefix}/wall`, client: () => "" });
  assert.deepEqual([access.prefix, access.path, access.wall], [prefix, "/wall", "lobby"]);
  assert.equal(
    (await WallTokens.open(it.file)).pageAddress(it.streams.get("mirror")!),
    address,
    "a new web app",
  );
  assert.equal((await Deno.stat(it.file)).mode! & 0o777, 0o600);
});

Deno.test("the nodes of a cluster have one token for a stream, and another for a later one of its id", async () => {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const stream = { id: "mirror", url: wallAddress("lobby"), tokenSeed: "first" };
  const [one, other, stranger] = await Promise.all(
    [secret, secret, new Uint8Array(32)].map((secret) => WallTokens.open("/nowhere/there", secret)),
  );
  const address = one.pageAddress(stream);
  const token = address.split("/")[4];
  assert.equal(other.pageAddress(stream), address);
  const opens = (tokens: WallTokens, fields = {}) =>
    tokens.opened(token, () => ({ ...stream, ...fields })) !== null;
  assert.deepEqual([one, other, stranger].map((tokens) => opens(tokens)), [true, true, false]);
  assert.equal(opens(other, { tokenSeed: "second" }), false);
  assert.equal(opens(other, { url: wallAddress("office") }), false);
});

Deno.test("it opens nothing else, however it is asked", async () => {
  await using it = await aGate();
  const prefix = it.prefixOf("mirror");
  const closed = [
    ...[
      "",
      "/",
      "/wall/",
      "/wall/../api/streams",
      "/%77all",
      "/api/walls",
      "/api/walls/lobby",
      "/api/walls/office/view",
    ],
    ...[
      "/api/streams",
      "/api/channels",
      "/api/streams/news",
      "/api/streams/clock/thumb",
      "/playlist.m3u",
      "/metrics",
    ],
    ...[
      "/api/hls/live/clock/index.m3u8",
      "/api/hls/live/mirror/index.m3u8",
      "/vendor/player.js",
      "/vnc/news",
    ],
  ];
  for (const path of closed) assert.equal(it.status(prefix + path), 404, path);
  for (const path of ["/", "/wall", "/healthz", "/login", "/api/streams"]) {
    assert.equal(it.status(path), 404, path);
  }
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    assert.equal(it.status(`${prefix}/wall`, method), 404, method);
  }
});

Deno.test("a token is one stream's for one wall: it ends with the stream, its page, and what is on the wall", async () => {
  await using it = await aGate();
  const prefix = it.prefixOf("mirror");
  const forged = [
    prefix.replace("mirror", "other"),
    prefix.replace("mirror", "news"),
    prefix.slice(0, -1),
    `${prefix}x`,
    "/t/mirror.",
    "/t/mirror",
  ];
  for (const one of forged) assert.equal(it.status(`${one}/wall`), 404, one);
  const feed = `${prefix}/api/hls/live/news/index.m3u8`;
  it.walls.set("lobby", { ...it.walls.get("lobby")!, slots: [] });
  assert.deepEqual([it.status(feed), it.status(`${prefix}/wall`)], [404, 200]);
  it.streams.set("mirror", { id: "mirror", url: wallAddress("office") });
  assert.equal(it.status(`${prefix}/wall`), 404);
  it.streams.set("mirror", { id: "mirror", url: wallAddress("lobby") });
  assert.equal(it.status(`${prefix}/wall`), 200);
  it.streams.delete("mirror");
  assert.equal(it.status(`${prefix}/wall`), 404);
});

Deno.test("whoever tries tokens has to wait", async () => {
  await using it = await aGate();
  const wrong = `/t/mirror.${"A".repeat(43)}/wall`;
  for (let count = 0; count < 60; count++) assert.equal(it.status(wrong), 404);
  assert.equal(it.status(wrong), 429);
  assert.equal(it.status(`${it.prefixOf("mirror")}/wall`), 200);
});
