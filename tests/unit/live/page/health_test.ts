import { strict as assert } from "node:assert";
import type { PageFinding } from "../../../../lib/live/page/history.ts";
import { PageHealth } from "../../../../lib/live/page/health.ts";
import { streamId } from "../../../../lib/model/id.ts";
import type { PageState } from "../../../../lib/model/page_health.ts";
import type { StreamState, StreamStatus } from "../../../../lib/model/status.ts";

const ID = streamId("wall");
const status = (state: StreamState): StreamStatus => ({ id: ID, state, programs: [] });
const finding = (state: PageState, more: Partial<PageFinding> = {}): PageFinding => ({
  ...{ state, status: null, error: null, nextTryAt: null },
  ...more,
});

function aHealth() {
  const told: string[] = [];
  const clock = { now: 1000, elapsed: 1000 };
  const health = new PageHealth({
    addEvent: (_id, kind, text, level = "info") => told.push(`${kind} ${level}: ${text}`),
    now: () => clock.now,
    elapsed: () => clock.elapsed,
  });
  return { health, told, clock };
}

Deno.test("health: a stream whose page is bad is degraded, with a reason in plain words", () => {
  const { health } = aHealth();
  assert.deepEqual(health.added(ID, status("running")), status("running"), "nothing is known");
  health.find(ID, finding("ok", { status: 200 }));
  assert.equal(health.added(ID, status("running")).state, "running");
  health.find(ID, finding("server-error", { status: 502, nextTryAt: 6000 }));
  for (const state of ["running", "starting"] as const) {
    const { reason, trouble, page, ...rest } = health.added(ID, status(state));
    assert.equal(rest.state, "degraded");
    assert.equal(reason, "The page's server has a problem (502).");
    assert.equal(trouble, "server-error");
    assert.deepEqual(page, { state: "server-error", status: 502, error: null, since: 1000, nextTryAt: 6000 });
  }
});

Deno.test("health: a program's reason comes first, and what does not run has no page", () => {
  const { health } = aHealth();
  health.find(ID, finding("dns"));
  const down: StreamStatus = { ...status("degraded"), reason: "Encoder is down.", program: "encoder" };
  const shown = health.added(ID, down);
  assert.deepEqual([shown.reason, shown.trouble, shown.page?.state], ["Encoder is down.", undefined, "dns"]);
  for (const state of ["stopped", "failed"] as const) {
    assert.equal("page" in health.added(ID, status(state)), false);
  }
  health.forget(ID);
  assert.equal(health.page(ID), undefined);
});

Deno.test("health: `since` is when it became so, whatever the next try", () => {
  const { health, clock } = aHealth();
  health.find(ID, finding("refused", { nextTryAt: 6000 }));
  clock.now = 5000;
  health.find(ID, finding("refused", { nextTryAt: null }));
  assert.equal(health.page(ID)?.since, 1000);
  health.find(ID, finding("ok"));
  assert.equal(health.page(ID)?.since, 5000);
});

Deno.test("health: each change is an event, once", () => {
  const { health, told } = aHealth();
  const certificate = { fingerprint: "a", subject: "wall", issuer: "nas", validFrom: 0, validTo: 0 };
  const all = [
    finding("opening"),
    finding("ok", { status: 200 }),
    finding("ok", { status: 200 }),
    finding("server-error", { status: 502 }),
    finding("server-error", { status: 502, nextTryAt: 1 }),
    finding("ok", { status: 200 }),
    finding("certificate-name", { certificate }),
  ];
  for (const one of all) health.find(ID, one);
  assert.deepEqual(told, [
    "page info: The page is open (status 200).",
    "page error: The page's server has a problem (502).",
    "page info: The page is back (status 200).",
    "certificate error: The page's certificate is for another name. It is for wall, by nas.",
  ]);
});

Deno.test("health: what others report counts until it is over, the page's own trouble before it", () => {
  const { health, told } = aHealth();
  health.find(ID, finding("ok", { status: 200 }));
  health.report(ID, "login-failed", "Wrong\npassword for <b>ops</b> $&");
  const failed = health.added(ID, status("running"));
  assert.equal(failed.reason, "The login on the page failed: Wrong password for <b>ops</b> $&");
  assert.equal(failed.page?.state, "login-failed");
  assert.equal(health.isBad(ID), true);
  health.find(ID, finding("dns"));
  assert.equal(health.page(ID)?.state, "dns");
  health.find(ID, finding("ok", { status: 200 }));
  health.report(ID, "login-failed", null);
  health.report(ID, "login-failed", null);
  assert.equal(health.added(ID, status("running")).state, "running");
  assert.equal(told.filter((text) => text.startsWith("login")).length, 0, "its helper tells more");
});

Deno.test("health: what is wrong around the page degrades the stream, but is not the page's", () => {
  const { health, told } = aHealth();
  health.find(ID, finding("ok"));
  health.report(ID, "no-sound", "");
  health.report(ID, "no-sound", "");
  const shown = health.added(ID, status("running"));
  assert.deepEqual([shown.state, shown.trouble, shown.page?.state], ["degraded", "no-sound", "ok"]);
  assert.equal(health.isBad(ID), false, "its thumbnails are good");
  health.report(ID, "no-sound", null);
  assert.deepEqual(told.map((text) => text.split(":")[0]), ["page info", "program error", "program info"]);
});

Deno.test("health: a full disk is said with what it does to the programs", () => {
  const { health } = aHealth();
  const down: StreamStatus = { ...status("degraded"), reason: "No new picture for 8 s.", program: "encoder" };
  health.report(ID, "disk-full", "");
  const { reason, trouble, program } = health.added(ID, down);
  assert.deepEqual([reason, trouble, program], [
    "No new picture for 8 s. The disk that the channels are on is nearly full.",
    "disk-full",
    "encoder",
  ]);
  health.report(ID, "disk-full", null);
  assert.equal(health.added(ID, down).reason, "No new picture for 8 s.");
});

Deno.test("health: what a page says is short", () => {
  const { health } = aHealth();
  health.report(ID, "login-failed", "x".repeat(100_000));
  assert.ok(health.page(ID)!.error!.length <= 160);
});

Deno.test("health: another page in front is as it is said, and what was wrong with the one before is not told as over", () => {
  const { health, told, clock } = aHealth();
  health.find(ID, finding("ok"));
  health.find(ID, finding("server-error", { status: 502 }));
  assert.equal(health.isBroken(ID), true);
  told.splice(0);
  clock.now = 5000;
  health.changeTo(ID, finding("ok"));
  assert.deepEqual([health.isBroken(ID), health.page(ID)?.since, told], [false, 5000, []]);
  health.find(ID, finding("ok"));
  assert.deepEqual(told, [], "nor told as open");
  health.find(ID, finding("dns"));
  assert.equal(told.length, 1);
});

Deno.test("health: when the next try is, is told by the machine's clock, and the same at every look", () => {
  const { health, clock } = aHealth();
  const told = (nextTryAt: number) => {
    health.find(ID, finding("dns", { nextTryAt }));
    return health.added(ID, status("running")).page?.nextTryAt;
  };
  clock.elapsed = 40_000;
  assert.equal(told(47_000), 8000);
  Object.assign(clock, { now: 3003, elapsed: 42_000 });
  assert.equal(told(47_000), 8000, "a look that is some milliseconds late");
  clock.now -= 3_600_000;
  assert.equal(told(47_000), 8003 - 3_600_000, "the clock was set back");
});
