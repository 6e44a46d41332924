import { strict as assert } from "node:assert";
import { Still, type StillKind } from "../../../../lib/live/picture/still.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { Semaphore } from "../../../../lib/machine/tools/concurrency.ts";
import { JPEG, PNG } from "../../../support/machine.ts";
import { aStream } from "../../../support/fixture.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

function testStill(elapsed = () => 0, desiredState: "running" | "stopped" = "running", hasSpec = true) {
  const stream = aStream({ desiredState });
  const captures: [StillKind, number][] = [];
  const bytes: Record<StillKind, Uint8Array<ArrayBuffer>> = { jpeg: JPEG, png: PNG };
  const spec = hasSpec ? { stream, startedAt: 0, steadyStart: 0 } : null;
  const still = new Still({
    // deno-lint-ignore no-explicit-any -- no more of it is used
    live: { id: streamId("clock"), stream, spec: spec as any },
    capture: (_resolution, kind) => {
      captures.push([kind, elapsed()]);
      return Promise.resolve(bytes[kind]);
    },
    captures: new Semaphore(2),
    now: () => 0,
    elapsed,
  });
  return { still, captures, bytes };
}

Deno.test("still pictures: one capture a second for all that ask, in either form", async () => {
  using clock = new FakeClock();
  const { still, captures } = testStill(() => clock.now());
  const first = await Promise.all(Array.from({ length: 20 }, () => still.get("jpeg")));
  assert.ok(first.every(({ bytes }) => bytes === JPEG));
  await still.get("jpeg");
  assert.equal(captures.length, 1);
  const png = still.get("png");
  await clock.advance(1000);
  assert.equal((await png).bytes, PNG);
  const [[, jpegAt], [, pngAt]] = captures;
  assert.ok(pngAt - jpegAt >= 1000, "the other form waits for its second");
  const next = still.get("jpeg");
  await clock.advance(1000);
  await next;
  assert.deepEqual(captures.map(([kind]) => kind), ["jpeg", "png", "jpeg"]);
  await still.stop();
});

Deno.test("still pictures: what does not run, starts, or sends no picture says so", async () => {
  await assert.rejects(testStill(undefined, "stopped").still.get("jpeg"), { status: 409 });
  await assert.rejects(testStill(undefined, "running", false).still.get("jpeg"), {
    status: 503,
    retryAfterSeconds: 5,
  });
  const broken = testStill();
  broken.bytes.jpeg = Uint8Array.of(1, 2, 3);
  await assert.rejects(broken.still.get("jpeg"), /no jpeg/);
});
