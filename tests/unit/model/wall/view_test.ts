import assert from "node:assert/strict";
import { isOnWallHost, wallAddress, wallOfAddress } from "../../../../lib/reach/wall_address.ts";
import type { StreamState } from "../../../../lib/model/answers/status.ts";
import { wallFromBody } from "../../../../lib/model/wall/wall.ts";
import { runningView, runningWall, showsStream, wallView } from "../../../../lib/model/wall/view.ts";
import type { StreamStatus } from "../../../../lib/model/answers/shapes.ts";

const url = "https://example.org/?secret";
const stream = (id: string, fields = {}) => ({ id, name: id.toUpperCase(), group: "", url, ...fields });
const states = (of: Record<string, StreamState>) =>
  Object.fromEntries(
    Object.entries(of).map(([id, state]): [string, StreamStatus] => {
      return [id, { id, state, thumbAt: 5, programs: [] }];
    }),
  );
const lobby = wallFromBody({
  name: "Lobby",
  slots: ["news", "gone", "mirror"].map((stream, at) => ({ row: 1 + (at >> 1), column: 1 + at % 2, stream })),
}, []);

Deno.test("a wall tells names and states of its streams, and nothing else of them", () => {
  const streams = [stream("news"), stream("mirror", { url: wallAddress("lobby") })];
  const statuses = states({ news: "degraded", mirror: "running" });
  const view = wallView(lobby, { streams, statuses, maySee: () => true });
  assert.deepEqual(view.slots.map(({ stream }) => stream), [
    { id: "news", name: "NEWS", state: "degraded", thumbAt: 5 },
    { id: "gone", name: "gone", state: "gone" },
    { id: "mirror", name: "MIRROR", state: "self" },
  ]);
  const hidden = wallView(lobby, { streams, statuses, maySee: ({ id }) => id !== "news" });
  assert.equal(hidden.slots[0].stream, null);
});

Deno.test("the wall of all running streams is as square as they are many, and shows no walls", () => {
  const size = (count: number) => {
    const { rows, columns, slots } = runningWall(Array.from({ length: count }, (_, at) => `s${at}`));
    return [rows, columns, slots.length];
  };
  assert.deepEqual([0, 1, 2, 3, 5, 9, 36, 60].map(size), [
    ...[[1, 1, 0], [1, 1, 1], [1, 2, 2], [2, 2, 3]],
    ...[[2, 3, 5], [3, 3, 9], [6, 6, 36], [6, 6, 36]],
  ]);
  const streams = [stream("a"), stream("b"), stream("c"), stream("wall", { url: wallAddress("lobby") })];
  const statuses = states({ a: "running", b: "planned", c: "failed", wall: "running" });
  const view = runningView({ streams, statuses, maySee: () => true });
  assert.deepEqual(view.slots.map(({ stream }) => stream?.id), ["a", "c"]);
});

Deno.test("the browser of a wall's channel may see what is on that wall, and never itself", () => {
  const [news, clock] = [stream("news"), stream("clock")];
  const self = stream("mirror", { url: wallAddress("lobby") });
  assert.equal(showsStream("lobby", lobby, news), true);
  for (const other of [clock, self]) assert.equal(showsStream("lobby", lobby, other), false, other.id);
  assert.equal(showsStream("running", null, clock), true);
  assert.equal(showsStream("running", null, self), false);
  assert.equal(showsStream("deleted", null, news), false);
});

Deno.test("a wall's address is one spelling, and all others of its host are known as such", () => {
  assert.equal(wallOfAddress(wallAddress("lobby")), "lobby");
  for (
    const other of [
      ...["https://wall.browser-stream.alt/wall?layout=a", "http://wall.browser-stream.alt/"],
      ...[
        "http://wall.browser-stream.alt:3000/wall?layout=a",
        "http://WALL.browser-stream.alt/wall?layout=a",
      ],
      ...["http://x@wall.browser-stream.alt/wall?layout=a", "http://wall.browser-stream.alt./wall?layout=a"],
      "http://wall.browser-stream.alt/wall?layout=a&x",
    ]
  ) {
    assert.equal(wallOfAddress(other), null, other);
    assert.equal(isOnWallHost(other), true, other);
  }
  assert.equal(isOnWallHost("http://wall.browser-stream.alt.example.org/"), false);
});
