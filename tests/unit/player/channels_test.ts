import assert from "node:assert/strict";
import { type Channel, feedOf, neighbour, positionOf } from "../../../player/channels.ts";
import { numberEntry } from "../../../player/number_entry.ts";

const channel = (number: number, id: string, state: Channel["state"] = "running"): Channel => ({
  number,
  id,
  state,
  name: id.toUpperCase(),
});
const CHANNELS = [channel(1, "a"), channel(2, "b", "stopped"), channel(3, "c", "degraded"), channel(4, "d")];
const next = (id: string, step: 1 | -1, channels = CHANNELS) => neighbour(channels, id, step)?.id ?? null;

Deno.test("the next channel is the next that is on, and after the last one the first", () => {
  assert.deepEqual(["a", "b", "c", "d"].map((id) => next(id, 1)), ["c", "c", "d", "a"]);
  assert.deepEqual(["a", "b", "c", "d"].map((id) => next(id, -1)), ["d", "a", "a", "c"]);
});

Deno.test("from a channel that is gone, up is the first one and down the last", () => {
  assert.deepEqual([next("gone", 1), next("gone", -1)], ["a", "d"]);
});

Deno.test("there is no next channel where no other is on", () => {
  for (const channels of [[], [channel(1, "a")], [channel(1, "a"), channel(2, "b", "failed")]]) {
    assert.deepEqual([next("a", 1, channels), next("a", -1, channels)], [null, null]);
  }
  assert.equal(positionOf(CHANNELS, "gone"), -1);
});

Deno.test("a feed's address is that of another stream's but for the id", () => {
  assert.equal(feedOf("/api/hls/live/clock/index.m3u8", "news"), "/api/hls/live/news/index.m3u8");
  const direct = "http://wall.example.org:8888/live/index/index.m3u8";
  assert.equal(feedOf(direct, "a-b"), "http://wall.example.org:8888/live/a-b/index.m3u8");
  assert.equal(feedOf("", "news"), "");
});

Deno.test("a number is typed digit by digit, taken at OK, and forgotten when cancelled", () => {
  const shown: string[] = [];
  const entered: number[] = [];
  const entry = numberEntry((digits) => shown.push(digits), (number) => entered.push(number));
  const type = (...digits: number[]) => digits.forEach(entry.add);
  type(1, 2);
  assert.deepEqual([shown, entered, entry.isTyping()], [["1", "12"], [], true]);
  entry.finish();
  assert.deepEqual([entered, entry.isTyping()], [[12], false]);
  type(0, 7);
  entry.cancel();
  assert.equal(entry.isTyping(), false);
  type(0, 0, 7);
  entry.finish();
  assert.deepEqual(entered, [12, 7]);
});
