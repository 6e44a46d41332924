import assert from "node:assert/strict";
import { stallWatch } from "../../../player/stall.ts";

Deno.test("nothing is a stall before the first picture; a start that never comes is given up", () => {
  const stall = stallWatch();
  stall.start(1000);
  stall.playlistLoaded(7, 1, 1100);
  assert.equal(stall.verdict(0, 60_000), "fine");
  assert.equal(stall.verdict(0, 61_001), "start");
});

Deno.test("a picture that stands still is a stall after 5 s", () => {
  const stall = stallWatch();
  stall.start(0);
  assert.equal(stall.verdict(3, 4000), "fine");
  assert.equal(stall.verdict(3, 9000), "fine");
  assert.equal(stall.verdict(3, 9001), "picture");
  assert.equal(stall.verdict(3.1, 9002), "fine");
});

Deno.test("so is a playlist, later with longer segments", () => {
  const stall = stallWatch();
  stall.start(0);
  stall.playlistLoaded(7, 1, 0);
  stall.playlistLoaded(8, 1, 1000);
  stall.playlistLoaded(8, 1, 5000);
  assert.equal(stall.verdict(1, 6000), "fine");
  assert.equal(stall.verdict(2, 6001), "playlist");
  assert.equal(stall.sequence, 8);
  stall.start(10_000);
  assert.equal(stall.sequence, -1);
  stall.playlistLoaded(9, 4, 10_000);
  assert.equal(stall.verdict(1, 20_000), "fine");
  assert.equal(stall.verdict(2, 20_001), "playlist");
});

Deno.test("a jump back to an earlier number is progress: the channel began again", () => {
  const stall = stallWatch();
  stall.start(0);
  stall.playlistLoaded(500, 1, 0);
  stall.playlistLoaded(3, 1, 5000);
  assert.equal(stall.verdict(1, 5500), "fine");
});

Deno.test("time in which nothing could be seen does not count", () => {
  const stall = stallWatch();
  stall.start(0);
  stall.playlistLoaded(7, 1, 0);
  assert.equal(stall.verdict(1, 1000), "fine");
  stall.restartTimers(100_000);
  assert.equal(stall.verdict(1, 104_000), "fine");
  assert.notEqual(stall.verdict(1, 105_001), "fine");
});
