import assert from "node:assert/strict";
import { type Observation, type PageSeen, statusOf } from "../../../lib/live/status.ts";
import { PIPELINE_PROGRAMS, type ProgramKind, type ProgramState } from "../../../lib/model/programs.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import { aProgram, aStream } from "../../support/fixture.ts";

const NOW = 1_000_000;

/** Programs of the stream "clock": all run, but for those whose state is given; null leaves one out. */
function programs(states: Partial<Record<ProgramKind, ProgramState | null>> = {}) {
  const kinds = [...new Set([...PIPELINE_PROGRAMS, ...Object.keys(states)])] as ProgramKind[];
  const list = kinds.filter((kind) => states[kind] !== null)
    .map((kind) => aProgram(`${kind}-clock`, { state: states[kind] ?? "RUNNING" }));
  return new Map(list.map((program) => [program.name, program]));
}

function status(observation: Partial<Observation>, fields = {}) {
  const all = {
    programs: programs(),
    playlistAgeMs: 1000,
    startedAt: NOW - 600_000,
    now: NOW,
    ...observation,
  };
  return statusOf(aStream(fields), all, DEFAULT_TIMINGS);
}

const OPENING: PageSeen = {
  page: { state: "opening", status: null, error: null, since: NOW, nextTryAt: null },
  around: undefined,
  isDiskFull: false,
};
const none = new Map();
const gaveUp = { kind: "encoder", text: "gave up after 10 restarts in 5 minutes; press Restart" } as const;
const young = { startedAt: NOW - 5000 };
const allOf = (state: ProgramState) =>
  programs({ display: state, wm: state, browser: state, encoder: state, audio: state });

const TABLE: [what: string, observation: Partial<Observation>, state: string, reason?: RegExp][] = [
  ["all run, fresh picture", {}, "running"],
  ["just started, no playlist yet", { ...young, playlistAgeMs: null }, "starting"],
  ["just started, programs unknown", { ...young, programs: none }, "starting"],
  ["just started, the page has not been seen", { ...young, health: OPENING }, "starting"],
  ["on the air for long, the page is opened anew", { health: OPENING }, "running"],
  ["not yet restored", { startedAt: null, programs: none, playlistAgeMs: null }, "starting"],
  ["just started, a program retries", { ...young, programs: programs({ browser: "BACKOFF" }) }, "starting"],
  [
    "a program retries for long",
    { programs: programs({ browser: "BACKOFF" }) },
    "degraded",
    /^Browser is down and/,
  ],
  ["the encoder ended", { programs: programs({ encoder: "EXITED" }) }, "degraded", /^Encoder is down/],
  ["given up", { programs: programs({ encoder: "FATAL" }) }, "failed", /^Encoder cannot be started\.$/],
  ["the sound was given up", { programs: programs({ audio: "FATAL" }) }, "degraded", /^Sound cannot be/],
  [
    "more than the sound was given up",
    { programs: programs({ audio: "FATAL", encoder: "FATAL" }) },
    "failed",
    /^Encoder cannot be/,
  ],
  [
    "given up at once",
    { ...young, programs: programs({ wm: "FATAL" }) },
    "failed",
    /^Window manager cannot be started/,
  ],
  [
    "the worst is blamed",
    { programs: programs({ wm: "BACKOFF", encoder: "FATAL" }) },
    "failed",
    /^Encoder/,
  ],
  ["left alone for now", { gaveUp, playlistAgeMs: null }, "failed", /^Encoder gave up after 10/],
  ["left alone, with a picture", { gaveUp }, "degraded", /^Encoder gave up after 10/],
  ["all are down", { programs: allOf("EXITED") }, "failed", /^Its programs do not run\.$/],
  ["one is missing", { programs: programs({ wm: null }) }, "failed", /^Its programs do not run\.$/],
  ["supervisord knows none", { programs: none }, "failed", /^Its programs do not run\.$/],
  ["old picture", { playlistAgeMs: 9000 }, "degraded", /^No new picture for 9 s\.$/],
  ["never a picture", { playlistAgeMs: null }, "degraded", /^No new picture\.$/],
];

for (const [what, observation, state, reason] of TABLE) {
  Deno.test(`${what}: ${state}`, () => {
    const result = status(observation);
    assert.equal(result.state, state);
    if (reason) assert.match(result.reason!, reason);
    else assert.equal("reason" in result, false);
  });
}

Deno.test("wanted stopped: stopped, whatever the programs' failures; running while some still live", () => {
  const stopped = { desiredState: "stopped" };
  for (const list of [none, allOf("STOPPED"), allOf("FATAL"), allOf("EXITED")]) {
    assert.equal(status({ programs: list, playlistAgeMs: null }, stopped).state, "stopped");
  }
  assert.equal(status({}, stopped).state, "running");
});

Deno.test("the delay of a stream is no failure", () => {
  const waiting = { startedAt: NOW - 100_000, playlistAgeMs: null };
  assert.equal(status(waiting, { delay: 90 }).state, "starting");
  assert.equal(status(waiting, { delay: 10 }).state, "degraded");
});

Deno.test("the borders of grace and staleness", () => {
  const at = (seconds: number) => ({ startedAt: NOW - seconds * 1000, playlistAgeMs: null });
  assert.equal(status(at(DEFAULT_TIMINGS.startGraceSeconds - 0.001)).state, "starting");
  assert.equal(status(at(DEFAULT_TIMINGS.startGraceSeconds)).state, "degraded");
  assert.equal(status({ playlistAgeMs: DEFAULT_TIMINGS.playlistStaleMs - 1 }).state, "running");
  assert.equal(status({ playlistAgeMs: DEFAULT_TIMINGS.playlistStaleMs }).state, "degraded");
});

Deno.test("programs are told with pid and uptime; a helper's end is no failure", () => {
  const result = status({ programs: programs({ autologin: "EXITED" }) });
  assert.equal(result.state, "running");
  assert.deepEqual(result.programs.at(-1), { name: "autologin-clock", state: "EXITED", pid: 7, uptime: 0 });
  assert.equal(result.programs[0].uptime, 100);
});

Deno.test("other streams' programs do not count", () => {
  const other = new Map([...programs()].map(([name, program]) => [`${name}-2`, program]));
  assert.equal(status({ programs: other }).state, "failed");
});
