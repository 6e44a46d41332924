import { strict as assert } from "node:assert";
import { join } from "node:path";
import { Slates } from "../../../lib/media/slates.ts";
import { aStream, tempDir } from "../../support/fixture.ts";
import { slateUnit } from "../../support/slate_unit.ts";

const HOUR = 3_600_000;
const LIMITS = { slateMs: 60_000, slatePageMs: 5000, slateMakeMs: 1000 };
const stream = aStream({ onDemand: true });

/** The slates of one stream, with both clocks set by hand. */
async function withSlates(
  test: (world: {
    slates: Slates;
    clock: { now: number; elapsed: number };
    pass(ms: number): void;
    /** Whether viewers get the segment that the media server has just begun. */
    hasJoined(): boolean;
  }) => Promise<void> | void,
): Promise<void> {
  await using dir = await tempDir("/dev/shm");
  const clock = { now: Date.UTC(2026, 0, 5, 12), elapsed: 7000 };
  const slates = await Slates.open({
    file: join(dir.path, "slates.json"),
    folder: dir.path,
    run: () => Promise.resolve({ code: 0, stdout: slateUnit(), stderr: "" }),
    stream: () => stream,
    discontinuities: { next: () => 0, numbered: (_, playlist) => playlist, goOn: () => {} },
    limits: LIMITS,
    now: () => clock.now,
    elapsed: () => clock.elapsed,
  });
  const hasJoined = () => {
    const name = `${clock.now}.ts`;
    const list = `#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:5\n#EXT-X-TARGETDURATION:1\n#EXTINF:1.000,\n${name}\n`;
    return slates.joined(stream.id, list).includes(name);
  };
  const pass = (ms: number) => {
    clock.now += ms;
    clock.elapsed += ms;
  };
  await test({ slates, clock, pass, hasJoined });
  await slates.settled();
}

for (const by of [0, -HOUR, HOUR]) {
  Deno.test(`a channel that starts after the clock was set by ${by / HOUR} h has its pictures as soon as they come`, () =>
    withSlates(({ slates, clock, pass, hasJoined }) => {
      clock.now += by;
      pass(10_000);
      slates.begin(stream);
      assert.equal(hasJoined(), false, "the page is not shown");
      pass(2000);
      slates.shown(stream.id);
      pass(1000);
      assert.equal(hasJoined(), true);
    }));
}

Deno.test("a channel that waits for room has a slate as long as somebody asks, and goes on behind it", () =>
  withSlates(async ({ slates, pass, hasJoined }) => {
    const path = `/live/${stream.id}/index.m3u8`;
    const numbers = async () => {
      const text = (await slates.file(path))?.text ?? "";
      return [...text.matchAll(/slate-(\d+)\.ts/g)].map(([, number]) => Number(number));
    };
    slates.hold(stream);
    const [first] = await numbers();
    for (let minute = 0; minute < 3; minute++) {
      pass(50_000);
      slates.hold(stream);
    }
    const last = (await numbers()).at(-1)!;
    assert.ok(last >= first + 150, `${first} to ${last}`);
    slates.begin(stream);
    assert.ok((await numbers()).includes(last), "its numbers go on");
    pass(2000);
    slates.shown(stream.id);
    pass(1000);
    assert.equal(hasJoined(), true);
    slates.end(stream.id);
    slates.hold(stream);
    pass(LIMITS.slateMs);
    assert.deepEqual(await numbers(), [], "nobody has asked any more");
  }));

Deno.test("a clock that is set back while a slate is shown leaves it on the air for its longest time", () =>
  withSlates(({ slates, clock, pass, hasJoined }) => {
    slates.begin(stream);
    pass(2000);
    slates.shown(stream.id);
    clock.now -= HOUR;
    pass(1000);
    assert.equal(hasJoined(), false, "by its name the segment is of an hour ago");
    pass(LIMITS.slateMs);
    assert.equal(hasJoined(), true);
  }));
