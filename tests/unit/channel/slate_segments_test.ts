import { strict as assert } from "node:assert";
import { SlateSegments } from "../../../lib/channel/slate_segments.ts";
import { PICTURE_PID, slateUnit, timesOf } from "../../support/slate_unit.ts";
import { PACKET } from "../../support/transport_checker.ts";

const PERIOD = 2 ** 33;
const EPOCH = Date.UTC(2025, 0, 1) / 1000;

/** The packet with the picture. */
const picture = (segment: Uint8Array) => segment.subarray(PACKET);

Deno.test("a slate's times are three seconds behind the clock, and go on by a second", () => {
  const slate = new SlateSegments(slateUnit(126_000));
  for (const sequence of [45_000_000, 45_000_001, 45_000_002]) {
    const wanted = (EPOCH + sequence - 3) * 90_000 % PERIOD;
    const times = timesOf(picture(slate.segment(sequence)));
    assert.deepEqual(times, { clock: wanted, presented: wanted, decoded: wanted });
  }
});

Deno.test("they wrap around with their 33 bits", () => {
  // the last number whose second ends in the period, and the one behind
  const last = Math.floor(PERIOD * 20_000 / 90_000) - EPOCH + 3;
  const slate = new SlateSegments(slateUnit());
  const [before, after] = [last, last + 1].map((sequence) =>
    timesOf(picture(slate.segment(sequence))).presented
  );
  assert.ok(before > PERIOD - 2 * 90_000 && after < 90_000, `${before}, ${after}`);
  assert.equal((before + 90_000) % PERIOD, after);
});

Deno.test("each stream's counter goes on over segments, and nothing else changes", () => {
  const unit = slateUnit();
  const slate = new SlateSegments(unit);
  const counter = (sequence: number, packet: number) => slate.segment(sequence)[packet * PACKET + 3] & 0x0f;
  for (const packet of [0, 1]) {
    assert.equal(counter(46_000_001, packet), (counter(46_000_000, packet) + 1) % 16);
  }
  const changed = [...slate.segment(46_000_005).entries()].filter(([at, byte]) => byte !== unit[at]);
  const places = new Set([
    3,
    PACKET + 3,
    ...[6, 7, 8, 9, 10, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30].map((at) => PACKET + at),
  ]);
  assert.deepEqual(changed.map(([at]) => at).filter((at) => !places.has(at)), []);
  assert.equal((unit[PACKET + 1] & 0x1f) << 8 | unit[PACKET + 2], PICTURE_PID);
});

Deno.test("what is no transport stream is no slate", () => {
  for (
    const bytes of [
      new Uint8Array(),
      new Uint8Array(PACKET),
      slateUnit().slice(0, PACKET),
      slateUnit().slice(1),
    ]
  ) {
    assert.throws(() => new SlateSegments(bytes), /slate|MPEG-TS/);
  }
});
