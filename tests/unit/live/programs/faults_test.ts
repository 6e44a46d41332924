import assert from "node:assert/strict";
import { PIPELINE_PROGRAMS, type ProgramKind } from "../../../../lib/model/programs.ts";
import type { Program } from "../../../../lib/machine/supervisor/status.ts";
import { DEFAULT_TIMINGS } from "../../../../lib/timings.ts";
import { findExcess, findFault, type Measured } from "../../../../lib/live/programs/faults.ts";
import { aProgram, aStream } from "../../../support/fixture.ts";

const NOW = 1000; // seconds

/** Healthy programs of the stream "clock" since second 900, with changes. */
function programs(changes: Record<string, Partial<Program>> = {}) {
  const names = [...PIPELINE_PROGRAMS.map((kind) => `${kind}-clock`), ...Object.keys(changes)];
  return new Map(names.map((name) => [name, aProgram(name, changes[name])]));
}

interface Case {
  stream?: Record<string, unknown>;
  changes?: Record<string, Partial<Program>>;
  /** Seconds. */
  age?: number | null;
  startedAt?: number;
  hung?: ProgramKind[];
  isDisplayTaken?: boolean;
}

function find({ stream, changes, age = 1, startedAt = 900, hung = [], isDisplayTaken = false }: Case) {
  const seen = {
    playlistAgeMs: age === null ? null : age * 1000,
    startedAt: startedAt * 1000,
    hung,
    isDisplayTaken,
    now: NOW * 1000,
  };
  return findFault(aStream(stream), { programs: programs(changes), ...seen }, DEFAULT_TIMINGS);
}

const FINE: [string, Case][] = [
  ["all is well", {}],
  ["no playlist yet, the encoder is young", {
    age: null,
    startedAt: 990,
    changes: { "encoder-clock": { start: 990 } },
  }],
  ["an old playlist, the encoder is young", { age: 80, changes: { "encoder-clock": { start: 990 } } }],
  ["the delay is not over", { age: null, startedAt: 900, stream: { delay: 95 } }],
  ["display and encoder started together, a second apart", { changes: { "display-clock": { start: 901 } } }],
  ["given up a moment ago", { changes: { "encoder-clock": { state: "FATAL", stop: NOW - 5 } } }],
  ["the encoder is being restarted anyway", { age: 60, changes: { "encoder-clock": { state: "BACKOFF" } } }],
  ["no sound wanted, the sound server is new", {
    stream: { audio: false },
    changes: { "audio-clock": { start: 950 } },
  }],
  ["no login wanted", { changes: { "autologin-clock": { state: "EXITED", start: 0 } } }],
  ["logged in after the browser's start", {
    stream: { user: "u" },
    changes: { "autologin-clock": { state: "EXITED", start: 900 } },
  }],
  ["the login is under way", { stream: { user: "u" }, changes: { "autologin-clock": { start: 1 } } }],
];

const CASES: [string, Case, kinds: string[], why: RegExp][] = [
  [
    "somebody else has its display, and so nothing comes up",
    { isDisplayTaken: true, age: 60, changes: { "display-clock": { state: "FATAL" } } },
    ["display"],
    /another user/,
  ],
  ["the browser does not answer", { hung: ["browser"] }, ["browser"], /did not answer/],
  ["display and browser do not answer", { hung: ["display", "browser"] }, ["display"], /did not answer/],
  [
    "the display is newer, and still starting",
    {
      changes: { "display-clock": { start: 999, state: "STARTING" } },
    },
    ["encoder"],
    /display was restarted/,
  ],
  ["given up half a minute ago", { changes: { "browser-clock": { state: "FATAL", stop: NOW - 30 } } }, [
    "browser",
  ], /again/],
  [
    "two were given up",
    { changes: { "display-clock": { state: "FATAL" }, "wm-clock": { state: "FATAL" } } },
    ["display", "wm"],
    /again/,
  ],
  [
    "the display is newer",
    { changes: { "display-clock": { start: 950 } } },
    ["encoder"],
    /display was restarted/,
  ],
  [
    "the sound server is newer",
    { changes: { "audio-clock": { start: 950 } } },
    ["browser", "encoder"],
    /sound server/,
  ],
  [
    "stopped by a restart that was cut off",
    { changes: { "encoder-clock": { state: "STOPPED", stop: NOW - 40 } } },
    ["encoder"],
    /nothing started it again/,
  ],
  ["no new segment", { age: 13 }, ["encoder"], /no new picture for 13 s/],
  ["never a segment", { age: null }, ["encoder"], /no new picture for 100 s/],
  ["never a segment since the delay", { age: null, stream: { delay: 80 } }, ["encoder"], /for 20 s/],
  [
    "the browser is newer than the login",
    { stream: { pass: "p" }, changes: { "autologin-clock": { state: "EXITED", start: 890 } } },
    ["autologin"],
    /browser was restarted/,
  ],
];

for (const [what, given] of FINE) {
  Deno.test(`${what}: nothing restarts`, () => assert.equal(find(given), null));
}

for (const [what, given, kinds, why] of CASES) {
  Deno.test(`${what}: ${kinds} restarts`, () => {
    const found = find(given);
    assert.deepEqual(found?.kinds, kinds);
    assert.match(found!.why, why);
  });
}

Deno.test("programs that supervisord does not know are left to it", () => {
  const seen = { playlistAgeMs: null, startedAt: 0, hung: [], isDisplayTaken: false, now: NOW * 1000 };
  assert.equal(findFault(aStream(), { programs: new Map(), ...seen }, DEFAULT_TIMINGS), null);
});

Deno.test("a fault's type: what follows a restart is no fault of its own", () => {
  const type = (given: Case) => find(given)?.type;
  assert.equal(type({ changes: { "audio-clock": { start: 950 } } }), "outdated");
  assert.equal(
    type({ stream: { pass: "p" }, changes: { "autologin-clock": { state: "EXITED", start: 890 } } }),
    "done",
  );
  assert.equal(type({ isDisplayTaken: true }), "taken");
  assert.equal(type({ hung: ["audio"] }), "hung");
  assert.equal(type({ age: 13 }), "starving");
  assert.equal(type({ changes: { "browser-clock": { state: "FATAL", stop: NOW - 30 } } }), "down");
});

const MEGABYTE = 1_000_000;

function excess(measured: Partial<Measured>, isDisturbing = false) {
  const all = { mebibytes: null, profileBytes: null, canHavePictures: false, ...measured };
  return findExcess({ memoryLimitMb: 1000 }, all, isDisturbing, 500 * MEGABYTE);
}

Deno.test("faults: what has grown too large, or can be better", () => {
  const fine = [{}, { mebibytes: 1000 }, { profileBytes: 500 * MEGABYTE }];
  assert.deepEqual(fine.map((measured) => excess(measured)), [null, null, null]);
  const memory = excess({ mebibytes: 1300 });
  assert.deepEqual([memory?.type, memory?.kinds, memory?.says], ["memory", ["browser"], {
    kind: "program",
    level: "warn",
    text: "Browser restarted: it used 1300 MiB, more than the 1000 MiB it may.",
  }]);
  assert.equal(excess({ mebibytes: 1300 }, true), null, "somebody is there, or it was replaced just now");
  const profile = excess({ profileBytes: 1200 * MEGABYTE }, true);
  assert.deepEqual([profile?.type, profile?.says], ["profile", {
    kind: "profile",
    level: "warn",
    text: "The page stored 1200 MB, more than the 500 MB it may: its profile is emptied.",
  }]);
  const grabbing = excess({ canHavePictures: true });
  assert.deepEqual([grabbing?.type, grabbing?.kinds, grabbing?.says], ["grabbing", ["encoder"], {
    kind: "program",
    level: "info",
    text: "The encoder was restarted: the capture program works again.",
  }]);
});
