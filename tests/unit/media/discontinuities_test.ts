import assert from "node:assert/strict";
import { join } from "node:path";
import { Discontinuities } from "../../../lib/media/discontinuities.ts";
import { namesIn, tempDir } from "../../support/fixture.ts";

/** Segments of one second; the one of `broken` follows a break. */
function list(first: number, broken?: number): string {
  const segments = Array.from({ length: 8 }, (_, at) => {
    const tag = first + at === broken ? "#EXT-X-DISCONTINUITY\n" : "";
    return `${tag}#EXTINF:1.000,\n${first + at}.ts\n`;
  });
  return `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:${first}\n#EXT-X-TARGETDURATION:1\n${
    segments.join("")
  }`;
}

const numberIn = (playlist: string) => Number(/DISCONTINUITY-SEQUENCE:(\d+)/.exec(playlist)?.[1]);

Deno.test("channels are numbered apart, and go on over a restart hours after the last break", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "discontinuities.json");
  const first = await Discontinuities.open(path);
  assert.equal(numberIn(first.numbered("a", list(100))), 100);
  assert.equal(numberIn(first.numbered("a", list(105, 107))), 100);
  assert.equal(numberIn(first.numbered("b", list(900))), 900);
  for (let at = 106; at < 300; at++) first.numbered("a", list(at, 107));
  assert.equal(numberIn(first.numbered("a", list(300))), 101);
  await first.saved();

  const second = await Discontinuities.open(path);
  assert.equal(numberIn(second.numbered("a", list(5000))), 101, "no break was seen, and none is made up");
  assert.equal(numberIn(second.numbered("b", list(905))), 900);
  assert.equal(numberIn(second.numbered("a", list(6000))), 102, "from here on it knows what it missed");
  await second.saved();
});

Deno.test("a break that is listed at the restart is counted when it leaves", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "discontinuities.json");
  const first = await Discontinuities.open(path);
  first.numbered("a", list(100));
  first.numbered("a", list(101, 108));
  await first.saved();
  const second = await Discontinuities.open(path);
  assert.equal(numberIn(second.numbered("a", list(104, 108))), 100);
  assert.equal(numberIn(second.numbered("a", list(109))), 101);
  await second.saved();
});

Deno.test("it is written at breaks only", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "discontinuities.json");
  const one = await Discontinuities.open(path);
  one.numbered("a", list(100));
  await one.saved();
  await Deno.remove(path);
  for (let at = 101; at < 150; at++) one.numbered("a", list(at));
  await one.saved();
  assert.deepEqual(await namesIn(dir.path), []);
  one.numbered("a", list(150, 157));
  await one.saved();
  assert.deepEqual(await namesIn(dir.path), ["discontinuities.json"]);
});

Deno.test("a file that cannot be read or written stops no viewer", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "discontinuities.json");
  for (const text of ["", "{", "null", "[1"]) {
    await Deno.writeTextFile(path, text);
    const one = await Discontinuities.open(path);
    assert.equal(numberIn(one.numbered("a", list(100))), 100, text);
    await one.saved();
  }
  const nowhere = await Discontinuities.open(join(dir.path, "missing/discontinuities.json"));
  assert.equal(numberIn(nowhere.numbered("a", list(100))), 100);
  await nowhere.saved();
});
