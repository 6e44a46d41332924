import { strict as assert } from "node:assert";
import type { HlsAnswer } from "../../../lib/channel/hls_cache.ts";
import { newestSegment, pictureRate } from "../../../lib/channel/picture_rate.ts";
import { streamId } from "../../../lib/model/id.ts";
import { slateUnit } from "../../support/slate_unit.ts";

const CLOCK = streamId("clock");
const LIST = "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:1.000,\na.ts\n#EXTINF:2.000,\nb.ts\n";

function file(text: string | null, bytes = new Uint8Array()): HlsAnswer {
  return { kind: "file", file: { type: null, etag: null, bytes, text } };
}

function files(answers: Record<string, HlsAnswer>) {
  return {
    get: (path: string) => Promise.resolve(answers[path] ?? { kind: "refused", status: 404 } as const),
  };
}

Deno.test("the newest segment is the last one of the list", () => {
  assert.deepEqual(newestSegment(LIST), { name: "b.ts", seconds: 2 });
  for (const text of ["", "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:7\n", "a.ts", "<html>"]) {
    assert.equal(newestSegment(text), null, text);
  }
});

Deno.test("a channel's pictures a second are those of its newest segment", async () => {
  const unit = slateUnit();
  const four = new Uint8Array([...unit, ...unit, ...unit, ...unit]);
  const list = { "/live/clock/index.m3u8": file(LIST) };
  assert.equal(await pictureRate(files({ ...list, "/live/clock/b.ts": file(null, four) }), CLOCK), 2);
  assert.equal(await pictureRate(files(list), CLOCK), null, "it is gone by now");
  assert.equal(await pictureRate(files({}), CLOCK), null);
  assert.equal(
    await pictureRate(files({ ...list, "/live/clock/b.ts": file(null, new Uint8Array(188)) }), CLOCK),
    null,
  );
});
