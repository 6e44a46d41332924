import assert from "node:assert/strict";
import {
  channelDir,
  nextSequence,
  playlistFile,
  seedPlaylist,
  seedSequence,
} from "../../../../lib/channel/media/hls.ts";
import { firstSequence } from "../../../../lib/model/segments.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { run } from "../../../../lib/machine/os/process.ts";
import { namesIn, tempDir } from "../../../support/fixture.ts";
import { inOwnProcess } from "../../../support/own_process.ts";

const DAY = 86_400_000;

Deno.test("the sequence of a new playlist is never behind an older one", () => {
  const start = Date.UTC(2026, 0, 1);
  assert.equal(firstSequence(0), 1);
  assert.equal(firstSequence(Date.UTC(2025, 0, 1)), 1);
  // a segment lasts a second or more, so a channel that ran for a day used at most this many numbers
  assert.ok(firstSequence(start + DAY) >= firstSequence(start) + DAY / 1000);
  assert.ok(firstSequence(Date.UTC(2060, 0, 1)) < 2 ** 31, "nginx-rtmp reads a C int");
  assert.match(seedPlaylist(start), /^#EXTM3U\n(#EXT-X-[A-Z-]+:\d+\n)+$/);
  assert.ok(seedPlaylist(start).includes(`#EXT-X-MEDIA-SEQUENCE:${firstSequence(start)}\n`));
});

Deno.test("a playlist is seeded only where there is none", async () => {
  await using dir = await tempDir();
  seedSequence(dir.path, streamId("a"), Date.UTC(2026, 0, 1));
  const first = await Deno.readTextFile(playlistFile(dir.path, streamId("a")));
  seedSequence(dir.path, streamId("a"), Date.UTC(2027, 0, 1));
  assert.equal(await Deno.readTextFile(playlistFile(dir.path, streamId("a"))), first);
  assert.deepEqual(await namesIn(channelDir(dir.path, streamId("a"))), ["index.m3u8"]);
});

Deno.test("the next sequence is the playlist's; a pipe or what is huge in its place holds nobody up", async () => {
  await using dir = await tempDir();
  const path = playlistFile(dir.path, streamId("a"));
  await Deno.mkdir(channelDir(dir.path, streamId("a")), { recursive: true });
  await Deno.writeTextFile(path, `${seedPlaylist(Date.UTC(2026, 0, 1))}#EXTINF:1.000,\na-7.ts\n`);
  assert.equal(nextSequence(dir.path, streamId("a")), firstSequence(Date.UTC(2026, 0, 1)) + 1);
  const others = [
    () => run(["mkfifo", path], { timeoutMs: 1000 }),
    () => Deno.writeTextFile(path, "").then(() => Deno.truncate(path, 2 ** 30)),
  ];
  for (const make of others) {
    await Deno.remove(path);
    await make();
    const said = await inOwnProcess(
      "lib/channel/media/hls.ts",
      `console.log(m.nextSequence("${dir.path}", "a"))`,
    );
    assert.equal(said, "null\n");
  }
});
