import assert from "node:assert/strict";
import {
  accessOfWall,
  baseOfAccess,
  channelCost,
  wallOfRunning,
} from "../../../components/wall/wallStreams.ts";
import { storedWall } from "../../../lib/model/wall/wall.ts";

const wall = (...streams: (string | null)[]) =>
  storedWall.parse({
    id: "lobby",
    name: "Lobby",
    rows: 2,
    columns: 3,
    slots: streams.map((stream, at) => ({ row: 1 + Math.floor(at / 3), column: 1 + at % 3, stream })),
  });

Deno.test("the address of a wall for a TV opens the wall's streams, and of an empty wall nothing", () => {
  assert.deepEqual(accessOfWall(wall("a", null, "b", "a")), { name: "Wall Lobby", streams: ["a", "b"] });
  assert.equal(accessOfWall(wall(null)), null);
  assert.deepEqual(accessOfWall(wallOfRunning([])), { name: "Wall All running streams" });
  assert.equal(
    baseOfAccess({ playlist: "https://tv.example/t/abc/playlist.m3u" }),
    "https://tv.example/t/abc",
  );
});

Deno.test("what a wall's channel costs goes by the pictures on it", () => {
  assert.match(channelCost(wall("a", "b", null, "c", "d")), /all 4 pictures .* as 3 streams/);
  assert.match(channelCost(wall("a")), /as a page with a video/);
});
