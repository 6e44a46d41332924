import assert from "node:assert/strict";
import { deathsSince, pidsOf } from "../../../../lib/live/programs/deaths.ts";
import type { ProgramKind } from "../../../../lib/model/programs.ts";
import type { Program } from "../../../../lib/machine/supervisor/status.ts";
import { aProgram } from "../../../support/fixture.ts";

const KINDS = ["display", "wm", "browser", "encoder", "audio", "media"] as const;
type Changes = Partial<Record<ProgramKind | "media", Partial<Program>>>;

const programs = (changes: Changes = {}) =>
  new Map(
    [...new Set([...KINDS, ...Object.keys(changes) as ProgramKind[]])].map((kind) => [
      kind,
      aProgram(kind, changes[kind]),
    ]),
  );

const died = (changes: Changes) => deathsSince(pidsOf(programs()), programs(changes), 10_000);

const CASES: [string, Changes, ReturnType<typeof deathsSince>][] = [
  ["nothing happened", {}, []],
  ["a program is down right now", { encoder: { pid: 0, state: "BACKOFF" } }, []],
  ["a program that did not run before was started", { autologin: { pid: 9 } }, []],
  ["the encoder died by itself", { encoder: { pid: 8, start: 990 } }, [{ kind: "encoder", cause: null }]],
  ["the browser went with its display", {
    display: { pid: 8, start: 990 },
    browser: { pid: 9, start: 991 },
  }, [{ kind: "display", cause: null }, { kind: "browser", cause: "display" }]],
  ["the display is being started", {
    display: { pid: 0, state: "EXITED" },
    wm: { pid: 9, start: 991 },
  }, [{ kind: "wm", cause: "display" }]],
  ["the encoder lost its media server", {
    media: { pid: 8, start: 985 },
    encoder: { pid: 9, start: 990 },
  }, [{ kind: "encoder", cause: "media" }]],
  ["the media server was restarted long before", {
    media: { pid: 8, start: 970 },
    encoder: { pid: 9, start: 990 },
  }, [{ kind: "encoder", cause: null }]],
];

for (const [what, changes, expected] of CASES) {
  Deno.test(what, () => assert.deepEqual(died(changes), expected));
}

Deno.test("the pid of a program that is down is remembered until it has another", () => {
  const before = pidsOf(programs());
  const between = pidsOf(programs({ encoder: { pid: 0, state: "BACKOFF" } }), before);
  const [death] = deathsSince(between, programs({ encoder: { pid: 8, start: 990 } }), 10_000);
  assert.deepEqual(death, { kind: "encoder", cause: null });
});
