import assert from "node:assert/strict";
import { StateTime } from "../../../lib/live/state_time.ts";
import type { PageHealth, StreamStatus } from "../../../lib/model/answers/shapes.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const aPage = (state: PageHealth["state"], since: number): PageHealth => ({
  state,
  status: null,
  error: null,
  since,
  nextTryAt: null,
});

function aStatus(state: StreamStatus["state"], fields: Partial<StreamStatus> = {}): StreamStatus {
  const programs = [720, 900, 0].map((uptime) => ({ name: "a", state: "RUNNING" as const, pid: 1, uptime }));
  return { id: "a", state, programs, ...fields };
}

/** A state time that looks at its stream: seconds after NOW, the status, and the playlist's age in ms. */
function aTime() {
  let now = NOW;
  const time = new StateTime({ limits: DEFAULT_TIMINGS, now: () => now });
  return {
    time,
    at: (second: number, status: StreamStatus, ageMs: number | null = 1000) => {
      now = NOW + second * 1000;
      const since = time.of(status, ageMs);
      return since === undefined ? undefined : (since - NOW) / 1000;
    },
  };
}

Deno.test("a stream is well since its youngest program runs", () => {
  assert.equal(aTime().at(0, aStatus("running")), -720);
  assert.equal(aTime().at(0, aStatus("running", { programs: [] })), 0);
});

Deno.test("a fault counts from its beginning, through its repairs, and the return from the return", () => {
  const { at } = aTime();
  at(0, aStatus("running"));
  const broken = { trouble: "unreachable", page: aPage("unreachable", NOW + 57_000) } as const;
  assert.equal(at(60, aStatus("degraded", broken)), 57);
  // another trouble, a start, a worse state: all the same fault
  const other = { trouble: "blank", page: aPage("blank", NOW + 80_000) } as const;
  assert.equal(at(90, aStatus("degraded", other)), 57);
  assert.equal(at(100, aStatus("starting")), undefined);
  assert.equal(at(110, aStatus("failed")), 57);
  assert.equal(at(200, aStatus("running", { page: aPage("ok", NOW + 196_000) })), 196);
  assert.equal(at(300, aStatus("running", { page: aPage("ok", NOW + 196_000) })), 196);
});

Deno.test("a channel without a new picture is not well since its last one", () => {
  const { at } = aTime();
  at(0, aStatus("running"));
  assert.equal(at(60, aStatus("degraded", { program: "encoder" }), 7000), 53);
  assert.equal(at(70, aStatus("running")), 70);
  assert.equal(at(80, aStatus("degraded", { program: "audio" }), 900), 80);
});

Deno.test("a start begins anew, and a stream at rest has no such time", () => {
  const { at } = aTime();
  at(0, aStatus("running"));
  assert.equal(at(10, aStatus("starting")), undefined);
  assert.equal(at(20, aStatus("running", { programs: [] })), 20);
  for (const state of ["stopped", "waiting", "planned"] as const) {
    assert.equal(at(30, aStatus(state)), undefined);
  }
  assert.equal(at(40, aStatus("failed")), 40);
});

Deno.test("a fault that the web app before knew goes on, unless the stream is well by now", () => {
  const known = aTime();
  known.time.goesOn(NOW - 3_600_000);
  assert.equal(known.at(0, aStatus("degraded")), -3600);
  known.time.goesOn(NOW);
  assert.equal(known.at(1, aStatus("degraded")), -3600, "it is known by now");
  const well = aTime();
  well.time.goesOn(NOW - 3_600_000);
  assert.equal(well.at(5, aStatus("running")), 5);
});
