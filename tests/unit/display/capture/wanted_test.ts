/** What encoders may ask for: whoever broke out of a page may ask as well. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { MAX_WANTED, parseWanted, wantedLine } from "../../../../lib/display/capture/wanted.ts";

Deno.test("wanted: what any stream may have is understood", () => {
  const size = fc.record({
    width: fc.integer({ min: 80, max: 1920 }).map((half) => half * 2),
    height: fc.integer({ min: 45, max: 1080 }).map((half) => half * 2),
  });
  const wanted = fc.record({
    output: size,
    fps: fc.integer({ min: 1, max: 60 }),
    gop: fc.integer({ min: 1, max: 240 }),
  });
  fc.assert(fc.property(wanted, (one) => {
    const line = wantedLine(one);
    assert.ok(line.endsWith("\n") && line.length <= MAX_WANTED);
    assert.deepEqual(parseWanted(line.slice(0, -1)), { ...one, output: { ...one.output } });
  }));
});

Deno.test("wanted: anything else is not", () => {
  const lines = [
    ...["", "1280x720", "1280x720 25", "1280x720 25 25 1", " 1280x720 25 25", "1280x720 25 25 "],
    ...["1281x720 25 25", "1280x721 25 25", "158x90 25 25", "99998x99998 25 25", "0x0 25 25", "-2x2 25 25"],
    ...["1280x720 0 25", "1280x720 61 25", "1280x720 25 0", "1280x720 25 601", "1280x720 2.5 25"],
    ...["1280x720\n25 25", "1280x720 25 25\n", "1280x720 1e1 25", "１280x720 25 25"],
  ];
  for (const line of lines) assert.equal(parseWanted(line), null, JSON.stringify(line));
  fc.assert(fc.property(fc.string({ maxLength: MAX_WANTED }), (line) => {
    if (!/^\d+x\d+ \d+ \d+$/.test(line)) assert.equal(parseWanted(line), null);
  }));
});
