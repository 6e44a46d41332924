import { strict as assert } from "node:assert";
import { Demand } from "../../../lib/fleet/demand.ts";
import { streamId } from "../../../lib/model/id.ts";
import { storedStream, type Stream } from "../../../lib/model/schema.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";

const id = streamId("lobby");

function setUp(fields: Partial<Stream> = {}) {
  let stream: Stream | undefined = storedStream.parse({
    ...{ id, name: "Lobby", url: "https://lobby.example.org/", order: 0 },
    ...{ onDemand: true, onDemandMinutes: 2, ...fields },
  }) as Stream;
  const clock = { now: 1_000_000 };
  const told: string[] = [];
  const people = { vnc: 0 };
  const plan = { isOff: false };
  const demand = new Demand({
    stream: () => stream,
    vncViewers: () => people.vnc,
    reconcile: () => {
      told.push("reconcile");
      return Promise.resolve();
    },
    slates: {
      prepare: () => told.push("prepare"),
      begin: () => told.push("begin"),
      end: () => told.push("end"),
    },
    isOff: () => plan.isOff,
    addEvent: (_id, _kind, text) => void told.push(text),
    limits: DEFAULT_TIMINGS,
    elapsed: () => clock.now,
  });
  return {
    demand,
    people,
    plan,
    isWanted: () => demand.isWanted(stream!),
    change: (changed: Partial<Stream> | undefined) => stream = changed && { ...stream!, ...changed },
    stream: () => stream!,
    /** What was done since the last call. */
    done: () => told.splice(0),
    /** Lets seconds go by, with a round in each. */
    wait(seconds: number) {
      for (let at = 0; at < seconds; at++) {
        clock.now += 1000;
        demand.round();
      }
    },
  };
}

const STARTED = ["begin", "Starting, as somebody watches.", "reconcile"];

Deno.test("the first viewer starts a stream that waits; the last one's leaving stops it some minutes later", () => {
  const it = setUp();
  assert.equal(it.isWanted(), false);
  it.demand.watched(id);
  assert.deepEqual([it.isWanted(), it.done()], [true, STARTED]);
  it.wait(60);
  it.demand.watched(id);
  it.wait(119);
  assert.deepEqual([it.isWanted(), it.done()], [true, []]);
  it.wait(1);
  assert.deepEqual([it.isWanted(), it.done()], [false, ["end", "reconcile"]]);
  it.demand.watched(id);
  assert.deepEqual(it.done(), STARTED);
});

Deno.test("whoever is in the browser by VNC watches for as long as that", () => {
  const it = setUp();
  it.demand.watched(id);
  it.people.vnc = 1;
  it.wait(600);
  it.people.vnc = 0;
  it.wait(119);
  assert.equal(it.isWanted(), true);
  it.wait(1);
  assert.equal(it.isWanted(), false);
});

Deno.test("a player that asked within 10 s has not left, however few minutes are set", () => {
  const it = setUp({ onDemandMinutes: 0.1 });
  it.demand.watched(id);
  it.wait(9);
  assert.equal(it.isWanted(), true);
  it.wait(1);
  assert.equal(it.isWanted(), false);
});

Deno.test("a stream that is stopped is not started by viewers, and one without the setting needs none", () => {
  const it = setUp({ desiredState: "stopped" });
  it.demand.watched(id);
  assert.deepEqual([it.isWanted(), it.done()], [false, []]);
  it.change({ desiredState: "running", onDemand: false });
  assert.equal(it.isWanted(), true);
  it.demand.began(id);
  it.wait(3600);
  assert.deepEqual([it.isWanted(), it.done()], [true, []]);
});

Deno.test("a stream that runs is given its minutes when the setting comes, or the web app was restarted", () => {
  const it = setUp({ onDemand: false });
  it.demand.began(id);
  it.demand.watched(id);
  it.change({ onDemand: true });
  it.wait(119);
  assert.equal(it.isWanted(), true);
  it.wait(1);
  assert.deepEqual([it.isWanted(), it.done()], [false, ["end", "reconcile"]]);
});

Deno.test("a stream that was stopped or removed meanwhile waits again", () => {
  const it = setUp();
  it.demand.watched(id);
  it.change({ desiredState: "stopped" });
  it.wait(1);
  it.change({ desiredState: "running" });
  assert.equal(it.isWanted(), false);
  it.demand.watched(id);
  it.change(undefined);
  it.wait(1);
  it.demand.watched(id);
  assert.deepEqual(it.done(), [...STARTED, "end", ...STARTED, "end"]);
});

Deno.test("what its plan has off the air is not started by a viewer, and waits for one again afterwards", () => {
  const it = setUp();
  it.demand.watched(id);
  it.plan.isOff = true;
  assert.equal(it.isWanted(), false);
  it.done();
  it.wait(1);
  it.demand.watched(id);
  assert.deepEqual([it.isWanted(), it.done()], [false, ["end"]]);
  it.plan.isOff = false;
  assert.equal(it.isWanted(), false);
  it.demand.watched(id);
  assert.deepEqual([it.isWanted(), it.done()], [true, STARTED]);
});

Deno.test("a stream's events say why it was stopped", () => {
  const it = setUp();
  const why = (fields: Partial<Stream>) => it.demand.whyStopped({ ...it.stream(), ...fields });
  assert.equal(why({ desiredState: "stopped" }), "Stopped.");
  assert.equal(why({}), "Stopped, as nobody watches. The next viewer starts it.");
  it.plan.isOff = true;
  assert.equal(why({}), "Off the air, by its plan.");
});
