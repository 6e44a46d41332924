/** What `doctor` says of what it sees. */
import assert from "node:assert/strict";
import type { Finding } from "../../../../lib/run/checks/finding.ts";
import {
  limitsFinding,
  memoryFinding,
  sessionFinding,
  shmFinding,
  timeFinding,
  warningText,
} from "../../../../lib/run/checks/machine.ts";
import { streamsFinding } from "../../../../lib/run/checks/running.ts";
import { otherWidths } from "../../../../lib/run/checks/software.ts";
import { findingOf, lineOf } from "../../../../lib/run/doctor.ts";
import type { StreamState } from "../../../../lib/model/answers/status.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import type { StreamStatus } from "../../../../lib/model/answers/shapes.ts";

const MB = 1e6;
const states = (findings: Finding[]) => findings.map(({ state }) => state);
const shm = (total: number, free = total) =>
  shmFinding({ totalBytes: total * MB, freeBytes: free * MB, totalFiles: 0, freeFiles: 0 });

Deno.test("doctor: too little shared memory is found, with what gives more", () => {
  assert.deepEqual(states([shm(67), shm(300), shm(1000), shm(1000, 20)]), [
    "problem",
    "warning",
    "ok",
    "problem",
  ]);
  assert.match(shm(67).remedy!, /shm_size/);
});

Deno.test("a start says what of the machine is not well, with what helps, and nothing else", () => {
  assert.deepEqual([shm(1000), shm(300)].map(warningText), [[], [
    "WARNING: /dev/shm has 300 MB, 300 MB of them free: browsers need more CPU, or crash\n" + shm(300).remedy,
  ]]);
  assert.deepEqual(warningText({ state: "problem", says: "no clock" }), ["WARNING: no clock"]);
});

Deno.test("doctor: memory for less than the service is a problem, and for less than a stream a warning", () => {
  const found = [4000, 799, 299].map((megabytes) => memoryFinding(megabytes * MB));
  assert.deepEqual(states(found), ["ok", "warning", "problem"]);
  assert.match(found[1].says, /^799 MB can be used: the service needs/);
  assert.equal(memoryFinding(4000 * MB, true).says, "4000 MB can be used (memory.max)");
});

Deno.test("doctor: what a container may use of the machine is told, and too little found", () => {
  const finding = (cores: number, tasks: { most: number; used: number } | null = null) =>
    limitsFinding({ cores, processors: 16, machineCores: 16, tasks });
  assert.deepEqual(finding(16), { state: "ok", says: "16 cores, not limited" });
  assert.equal(finding(2, { most: 4000, used: 100 }).state, "ok");
  assert.match(finding(1.5).says, /^1\.5 cores of 16 may be used \(cpu\.max\)/);
  const ofSet = limitsFinding({ cores: 2, processors: 2, machineCores: 16, tasks: null });
  assert.match(ofSet.says, /^2 cores of 16 may be used \(cpuset\.cpus\)/);
  assert.match(finding(0.5).says, /a stream's start takes a whole core/);
  assert.match(finding(16, { most: 500, used: 200 }).says, /300 more processes and threads .*\(pids\.max\)/);
  assert.deepEqual(states([finding(0.5), finding(16, { most: 500, used: 200 })]), ["warning", "warning"]);
});

Deno.test("doctor: a normal user is told of a logout that takes the channels along", () => {
  const facts = { uid: 1000, runDir: "/dev/shm/bss-1000", hasSession: true, lingers: false, settings: [""] };
  const state = (changes: Partial<typeof facts>) => sessionFinding({ ...facts, ...changes }).state;
  assert.equal(state({}), "warning");
  assert.match(sessionFinding(facts).remedy!, /loginctl enable-linger/);
  assert.equal(state({ settings: ["#RemoveIPC=no\n", "[Login]\nRemoveIPC=yes\n"] }), "warning");
  for (
    const well of [
      { uid: 0 },
      { uid: 999 },
      { runDir: "/var/tmp/bss" },
      { hasSession: false },
      { lingers: true },
      { settings: ["[Login]\nRemoveIPC=no\n"] },
      { settings: ["RemoveIPC=yes", "RemoveIPC=false"] },
    ]
  ) assert.equal(state(well), "ok", JSON.stringify(well));
});

Deno.test("doctor: a clock that is behind the packages, and a time zone that is none, are found", () => {
  const now = Date.UTC(2026, 10, 22);
  assert.deepEqual(
    states([timeFinding(now, now - 1, ""), timeFinding(0, now, ""), timeFinding(now, 0, "Europe/Berlin")]),
    ["ok", "problem", "ok"],
  );
  assert.match(timeFinding(now, 0, "Europe/Berlim").says, /TZ=Europe\/Berlim is not a time zone/);
});

const status = (id: string, state: StreamState, reason?: string): StreamStatus => ({
  id,
  state,
  reason,
  programs: [],
});

Deno.test("doctor: what a stream's card says is told for those that are not well", () => {
  const well = streamsFinding([status("a", "running"), status("b", "stopped"), status("c", "running")]);
  assert.deepEqual(well, { state: "ok", says: "2 running, 1 stopped" });
  const bad = streamsFinding([status("a", "degraded", "No new picture for 7 s."), status("b", "running")]);
  assert.equal(bad.state, "warning");
  assert.match(bad.says, /a is degraded: No new picture for 7 s\./);
  assert.equal(streamsFinding([status("a", "failed", "No host.")]).state, "problem");
});

Deno.test("doctor: a check that fails, or never ends, is a problem", async () => {
  const failed = await findingOf(() => Promise.reject(new Error("it broke")));
  assert.deepEqual([failed.state, failed.says], ["problem", "it broke"]);
  const thrown = await findingOf(() => {
    throw new Error("at once");
  });
  assert.equal(thrown.says, "at once");
  const { promise, resolve } = Promise.withResolvers<Finding>();
  using clock = new FakeClock();
  const found = findingOf(() => promise, 20);
  await clock.advance(20);
  const slow = await found;
  assert.deepEqual([slow.state, slow.says], ["problem", "no result after 0.02 s"]);
  resolve({ state: "ok", says: "" });
});

Deno.test("doctor: a line says what was found, and below it what to do", () => {
  assert.equal(
    lineOf("disks", { state: "problem", says: "It is\nfull.", remedy: "Empty it,\nor not." }),
    "problem  disks            It is full.\n" + " ".repeat(26) + "Empty it,\n" + " ".repeat(26) + "or not.",
  );
  assert.equal(
    lineOf("time", { state: "ok", says: "fine", remedy: "none" }),
    "ok       time             fine",
  );
});

Deno.test("doctor: a font of another width in the place of one that pages name is found", () => {
  const here = {
    "Arial": "Liberation Sans",
    "Helvetica": "Nimbus Sans",
    "Times New Roman": "Liberation Serif",
    "Courier New": "Liberation Mono",
    "Calibri": "Carlito",
    "Cambria": "Caladea",
  };
  assert.deepEqual(otherWidths(here), []);
  assert.deepEqual(otherWidths(Object.fromEntries(Object.keys(here).map((name) => [name, name]))), []);
  for (const name of Object.keys(here)) {
    assert.deepEqual(otherWidths({ ...here, [name]: "DejaVu Sans" }), [name]);
  }
});
