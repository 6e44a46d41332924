import { strict as assert } from "node:assert";
import { Measurements } from "../../../lib/fleet/measurements.ts";
import type { LiveStream } from "../../../lib/live/live_stream.ts";
import { streamId } from "../../../lib/model/id.ts";
import { aGround } from "../../support/ground.ts";

Deno.test("a profile that was emptied while it was measured is not taken for what it was", async () => {
  const { ground, machine } = aGround();
  const work = { operations: 1 };
  const told: number[] = [];
  const live = { id: streamId("wall"), work, programs: { profileHas: (bytes: number) => told.push(bytes) } };
  const measurements = new Measurements(ground, { running: () => [live as unknown as LiveStream] });
  machine.broker.measure = () => Promise.resolve(7);
  await measurements.profiles();
  machine.broker.measure = () => {
    work.operations++;
    return Promise.resolve(8);
  };
  await measurements.profiles();
  assert.deepEqual(told, [7]);
});
