import { strict as assert } from "node:assert";
import { Demand } from "../../../lib/live/demand.ts";
import { streamId } from "../../../lib/model/id.ts";
import { storedStream, type Stream } from "../../../lib/model/schema.ts";

const id = streamId("lobby");

function setUp(fields: Partial<Stream> = {}) {
  let stream = storedStream.parse({
    id,
    name: "Lobby",
    url: "https://lobby.example.org/",
    order: 0,
    onDemand: true,
    onDemandMinutes: 2,
    ...fields,
  }) as Stream;
  const clock = { now: 1_000_000 };
  const told: string[] = [];
  const people = { vnc: 0 };
  const plan = { isOff: false };
  const cluster = { hasItElsewhere: false };
  const machine = { noRoom: null as string | null };
  const slates = {
    prepare: () => told.push("prepare"),
    begin: () => told.push("begin"),
    hold: () => told.push("hold"),
    end: () => told.push("end"),
  };
  const demand = new Demand(
    {
      id,
      channel: { slate: slates },
      plan: { isOff: () => plan.isOff },
      get isElsewhere() {
        return cluster.hasItElsewhere;
      },
    },
    { noPlace: () => machine.noRoom },
    () => clock.now,
  );
  return {
    demand,
    people,
    plan,
    cluster,
    machine,
    isWanted: () => demand.isWanted(stream),
    change: (changed: Partial<Stream>) => stream = { ...stream, ...changed },
    stream: () => stream,
    watched: () => void (demand.watched(stream) && told.push("start")),
    /** What was done since the last call. */
    done: () => told.splice(0),
    /** Lets seconds go by, with a tick in each. */
    wait(seconds: number) {
      for (let at = 0; at < seconds; at++) {
        clock.now += 1000;
        if (demand.tick(stream, people.vnc)) told.push("stop");
      }
    },
  };
}

const STARTED = ["begin", "start"];

Deno.test("the first viewer starts a stream that waits; the last one's leaving stops it some minutes later", () => {
  const it = setUp();
  assert.equal(it.isWanted(), false);
  it.watched();
  assert.deepEqual([it.isWanted(), it.done()], [true, STARTED]);
  it.wait(60);
  it.watched();
  it.wait(119);
  assert.deepEqual([it.isWanted(), it.done()], [true, []]);
  it.wait(1);
  assert.deepEqual([it.isWanted(), it.done()], [false, ["end", "stop"]]);
  it.watched();
  assert.deepEqual(it.done(), STARTED);
});

Deno.test("whoever is in the browser by VNC watches for as long as that", () => {
  const it = setUp();
  it.watched();
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
  it.watched();
  it.wait(9);
  assert.equal(it.isWanted(), true);
  it.wait(1);
  assert.equal(it.isWanted(), false);
});

Deno.test("a stream that is stopped is not started by viewers, and one without the setting needs none", () => {
  const it = setUp({ desiredState: "stopped" });
  it.watched();
  assert.deepEqual([it.isWanted(), it.done()], [false, []]);
  it.change({ desiredState: "running", onDemand: false });
  assert.equal(it.isWanted(), true);
  it.demand.began();
  it.wait(3600);
  assert.deepEqual([it.isWanted(), it.done()], [true, []]);
});

Deno.test("a stream that runs is given its minutes when the setting comes, or the web app was restarted", () => {
  const it = setUp({ onDemand: false });
  it.demand.began();
  it.watched();
  it.change({ onDemand: true });
  it.wait(119);
  assert.equal(it.isWanted(), true);
  it.wait(1);
  assert.deepEqual([it.isWanted(), it.done()], [false, ["end", "stop"]]);
});

Deno.test("a stream that was stopped meanwhile waits again", () => {
  const it = setUp();
  it.watched();
  it.change({ desiredState: "stopped" });
  it.wait(1);
  it.change({ desiredState: "running" });
  assert.equal(it.isWanted(), false);
  it.watched();
  assert.deepEqual(it.done(), [...STARTED, "end", ...STARTED]);
});

Deno.test("without room the slate stays while somebody watches, and the stream starts when there is room", () => {
  const it = setUp();
  it.machine.noRoom = "MAX_STREAMS is 1";
  it.watched();
  assert.deepEqual([it.isWanted(), it.demand.isWaiting(it.stream()), it.demand.noRoom, it.done()], [
    ...[false, true, "MAX_STREAMS is 1", ["hold"]],
  ]);
  it.wait(5);
  assert.equal(it.demand.retry(it.stream()), false);
  it.machine.noRoom = null;
  assert.equal(it.demand.retry(it.stream()), true);
  assert.deepEqual([it.isWanted(), it.demand.noRoom, it.done()], [true, null, ["hold", "begin"]]);
  assert.equal(it.demand.retry(it.stream()), false, "once");
});

Deno.test("viewers who have left wait for no room, nor do those of a stream that is stopped", () => {
  const it = setUp();
  it.machine.noRoom = "MAX_STREAMS is 1";
  it.watched();
  it.wait(60);
  it.machine.noRoom = null;
  assert.deepEqual([it.demand.noRoom, it.demand.retry(it.stream()), it.done()], [null, false, [
    "hold",
    "end",
  ]]);
  it.machine.noRoom = "MAX_STREAMS is 1";
  it.watched();
  it.change({ desiredState: "stopped" });
  it.wait(1);
  assert.deepEqual([it.demand.noRoom, it.done()], [null, ["hold", "end"]]);
  it.change({ desiredState: "running" });
  assert.equal(it.demand.watched(it.stream(), true), true, "unless somebody wants it all the same");
});

Deno.test("what its plan has off the air is not started by a viewer, and waits for one again afterwards", () => {
  const it = setUp();
  it.watched();
  it.plan.isOff = true;
  assert.equal(it.isWanted(), false);
  it.done();
  it.wait(1);
  it.watched();
  assert.deepEqual([it.isWanted(), it.done()], [false, ["end"]]);
  it.plan.isOff = false;
  assert.equal(it.isWanted(), false);
  it.watched();
  assert.deepEqual([it.isWanted(), it.done()], [true, STARTED]);
});

Deno.test("what another machine runs is not started by a viewer here, until it is this machine's again", () => {
  const it = setUp({ onDemand: false });
  assert.equal(it.isWanted(), true);
  it.cluster.hasItElsewhere = true;
  it.watched();
  assert.deepEqual([it.isWanted(), it.done()], [false, []]);
  assert.equal(it.demand.whyStopped(it.stream()), "Stopped here: it runs on another machine.");
  it.cluster.hasItElsewhere = false;
  assert.equal(it.isWanted(), true);
});

Deno.test("a stream's events say why it was stopped", () => {
  const it = setUp();
  const why = (fields: Partial<Stream>) => it.demand.whyStopped({ ...it.stream(), ...fields });
  assert.equal(why({ desiredState: "stopped" }), "Stopped.");
  assert.equal(why({}), "Stopped because nobody watches. The next viewer starts it.");
  it.plan.isOff = true;
  assert.equal(why({}), "Off the air, by its plan.");
});
