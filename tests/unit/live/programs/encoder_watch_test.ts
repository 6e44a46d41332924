import { strict as assert } from "node:assert";
import { canHavePictures, EncoderWatch } from "../../../../lib/live/programs/encoder_watch.ts";
import { aProgram } from "../../../support/fixture.ts";

const CHECK_MS = 5000;
const FFMPEG = "/usr/bin/ffmpeg\0-f\0pulse\0";

/** One encoder, whose thread is busy for a part of the time. */
function anEncoder(commandLine = FFMPEG) {
  const watch = new EncoderWatch();
  const seen = { pid: 7, commandLine };
  let at = 0, busyNs = 0;
  const checks = (count: number, busy: number) => {
    let found: ReturnType<EncoderWatch["see"]> = null;
    for (let check = 0; check < count; check++) {
      const threads = new Map([["7", busyNs], ["8", 0]]);
      found = watch.see(seen.pid, { commandLine: seen.commandLine, threads }, at);
      at += CHECK_MS;
      busyNs += CHECK_MS * 1e6 * busy;
    }
    return found;
  };
  return { seen, checks, isSlow: (count: number, busy: number) => checks(count, busy)?.isSlow };
}

Deno.test("encoder watch: one that never rests for three checks is too slow, until it has rested for three", () => {
  const { isSlow } = anEncoder();
  assert.equal(isSlow(3, 1), undefined);
  assert.equal(isSlow(1, 1), true);
  assert.equal(isSlow(3, 0.8), undefined, "the first of these checks is of the time before");
  assert.equal(isSlow(1, 0.8), false);
});

Deno.test("encoder watch: busy seconds now and then, or those of an encoder before, do not count", () => {
  const { isSlow } = anEncoder();
  for (let times = 0; times < 4; times++) {
    assert.notEqual(isSlow(2, 1), true);
    assert.notEqual(isSlow(1, 0.5), true);
  }
  const other = anEncoder();
  other.isSlow(3, 1);
  other.seen.pid = 8;
  assert.equal(other.isSlow(2, 1), undefined);
});

Deno.test("encoder watch: silence and a grabbed display are seen, and only once it is ffmpeg", () => {
  const silent = anEncoder("/usr/bin/ffmpeg\0-i\0anullsrc=r=48000\0").checks(1, 0);
  assert.deepEqual([silent?.isSilent, silent?.isGrabbing], [true, false]);
  const grabbing = anEncoder("/usr/bin/ffmpeg\0-f\0x11grab\0").checks(1, 0);
  assert.deepEqual([grabbing?.isSilent, grabbing?.isGrabbing], [false, true]);
  assert.equal(anEncoder("deno\0run\0encoder\0").checks(5, 1), null);
});

Deno.test("encoder watch: what grabs its display can have pictures of the next capture program, once that has lasted", () => {
  // the encoder is of 900, and it is 1000
  const encoder = aProgram("encoder-wall");
  const lasting = (capture: ReturnType<typeof aProgram> | undefined) =>
    canHavePictures(encoder, capture, 60_000);
  assert.equal(lasting(aProgram("capture", { start: 930 })), true, "one of after it, for 70 s");
  assert.equal(lasting(aProgram("capture")), false, "the one that refused it");
  assert.equal(lasting(aProgram("capture", { start: 941 })), false, "one that has just begun");
  assert.equal(
    lasting(aProgram("capture", { start: 930, state: "BACKOFF" })),
    false,
    "one that does not run",
  );
  assert.equal(lasting(undefined), false);
});
