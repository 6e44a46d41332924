import { strict as assert } from "node:assert";
import type { PageFinding } from "../../../../lib/live/page/history.ts";
import { PageFindings } from "../../../../lib/live/page/findings.ts";
import { withPage } from "../../../../lib/live/status.ts";
import { streamId } from "../../../../lib/model/id.ts";
import type { PageState } from "../../../../lib/model/answers/page_health.ts";
import type { StreamState } from "../../../../lib/model/answers/status.ts";
import type { StreamStatus } from "../../../../lib/model/answers/shapes.ts";
import { aGround, aKeptStream } from "../../../support/ground.ts";

const ID = streamId("wall");
const status = (state: StreamState): StreamStatus => ({ id: ID, state, programs: [] });
const finding = (state: PageState, more: Partial<PageFinding> = {}): PageFinding => ({
  state,
  status: null,
  error: null,
  nextTryAt: null,
  ...more,
});

function aHealth() {
  const told: string[] = [];
  const clock = { now: 1000, elapsed: 1000 };
  const world = aGround();
  const { ground, machine } = world;
  machine.now = () => clock.now;
  machine.elapsed = () => clock.elapsed;
  const live = aKeptStream(world);
  live.tell = (kind, text, level = "info") => void told.push(`${kind} ${level}: ${text}`);
  const health = new PageFindings({ live, ground });
  return { health, told, clock };
}

Deno.test("health: a stream whose page is bad is degraded, with a reason in plain words", () => {
  const { health } = aHealth();
  assert.deepEqual(withPage(status("running"), health), status("running"), "nothing is known");
  health.find(finding("ok", { status: 200 }));
  assert.equal(withPage(status("running"), health).state, "running");
  health.find(finding("server-error", { status: 502, nextTryAt: 6000 }));
  for (const state of ["running", "starting"] as const) {
    const { reason, trouble, page, ...rest } = withPage(status(state), health);
    assert.equal(rest.state, "degraded");
    assert.equal(reason, "The page's server has a problem (502).");
    assert.equal(trouble, "server-error");
    assert.deepEqual(page, { state: "server-error", status: 502, error: null, since: 1000, nextTryAt: 6000 });
  }
});

Deno.test("health: a program's reason comes first, and what does not run has no page", () => {
  const { health } = aHealth();
  health.find(finding("dns"));
  const down: StreamStatus = { ...status("degraded"), reason: "Encoder is down.", program: "encoder" };
  const shown = withPage(down, health);
  assert.deepEqual([shown.reason, shown.trouble, shown.page?.state], ["Encoder is down.", undefined, "dns"]);
  for (const state of ["stopped", "failed"] as const) {
    assert.equal("page" in withPage(status(state), health), false);
  }
});

Deno.test("health: `since` is when it became so, whatever the next try", () => {
  const { health, clock } = aHealth();
  health.find(finding("refused", { nextTryAt: 6000 }));
  clock.now = 5000;
  health.find(finding("refused", { nextTryAt: null }));
  assert.equal(health.page?.since, 1000);
  health.find(finding("ok"));
  assert.equal(health.page?.since, 5000);
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
  for (const one of all) health.find(one);
  assert.deepEqual(told, [
    "page info: The page is open (status 200).",
    "page error: The page's server has a problem (502).",
    "page info: The page is back (status 200).",
    "certificate error: The page's certificate is for another name. It was issued to wall by nas.",
  ]);
});

Deno.test("health: an event names the host and the browser's code, and how many tries it took", () => {
  const { health, told } = aHealth();
  const at = (failures: number) => ({ host: "grafana.local:3000", failures });
  health.find(finding("refused", { error: "ERR_CONNECTION_REFUSED" }), at(0));
  health.find(finding("ok", { status: 200 }), at(3));
  health.find(finding("tls", { error: "ERR_SSL_PROTOCOL_ERROR" }), at(0));
  health.find(finding("ok", { status: 200 }), at(1));
  health.find(finding("dialog", { error: "Are you sure?" }), at(0));
  assert.deepEqual(told, [
    "page error: The page's server refuses the connection. Host grafana.local:3000, ERR_CONNECTION_REFUSED.",
    "page info: The page is back (status 200) after 3 tries.",
    "page error: There is no secure connection to the page's server (ERR_SSL_PROTOCOL_ERROR). Host grafana.local:3000.",
    "page info: The page is back (status 200).",
    "page error: The page shows a dialog: Are you sure? Host grafana.local:3000.",
  ]);
});

Deno.test("health: what others report counts until it is over, the page's own trouble before it", () => {
  const { health, told } = aHealth();
  health.find(finding("ok", { status: 200 }));
  health.report("login-failed", "Wrong\npassword for <b>ops</b> $&");
  const failed = withPage(status("running"), health);
  assert.equal(failed.reason, "The login on the page failed: Wrong password for <b>ops</b> $&");
  assert.equal(failed.page?.state, "login-failed");
  assert.equal(health.isBad, true);
  health.find(finding("dns"));
  assert.equal(health.page?.state, "dns");
  health.find(finding("ok", { status: 200 }));
  health.report("login-failed", null);
  health.report("login-failed", null);
  assert.equal(withPage(status("running"), health).state, "running");
  assert.equal(told.filter((text) => text.startsWith("login")).length, 0, "its helper tells more");
});

Deno.test("health: a page that wants the login that is set says why it is not taken", () => {
  const { health } = aHealth();
  health.find(finding("needs-login", { status: 401, nextTryAt: 6000 }));
  assert.equal(health.wantsLogin, true);
  health.report("login-failed", "the server refuses user name and password");
  const { reason, trouble, page } = withPage(status("running"), health);
  assert.equal(reason, "The login on the page failed: the server refuses user name and password");
  assert.deepEqual([trouble, page?.status, page?.nextTryAt], ["login-failed", 401, 6000]);
  assert.equal(health.wantsLogin, true);
  health.report("login-failed", null);
  assert.equal(health.page?.state, "needs-login");
});

Deno.test("health: what is wrong around the page degrades the stream, but is not the page's", () => {
  const { health, told } = aHealth();
  health.find(finding("ok"));
  health.report("no-sound", "");
  health.report("no-sound", "");
  const shown = withPage(status("running"), health);
  assert.deepEqual([shown.state, shown.trouble, shown.page?.state], ["degraded", "no-sound", "ok"]);
  assert.equal(health.isBad, false, "its thumbnails are good");
  health.report("no-sound", null);
  assert.deepEqual(told.map((text) => text.split(":")[0]), ["page info", "program error", "program info"]);
});

Deno.test("health: a full disk is said with what it does to the programs", () => {
  const { health } = aHealth();
  const down: StreamStatus = { ...status("degraded"), reason: "No new picture for 8 s.", program: "encoder" };
  health.report("disk-full", "");
  const { reason, trouble, program } = withPage(down, health);
  assert.deepEqual([reason, trouble, program], [
    "No new picture for 8 s. The disk that the channels are on is nearly full.",
    "disk-full",
    "encoder",
  ]);
  health.report("disk-full", null);
  assert.equal(withPage(down, health).reason, "No new picture for 8 s.");
});

Deno.test("health: what a page says is short", () => {
  const { health } = aHealth();
  health.report("login-failed", "x".repeat(100_000));
  assert.ok(health.page!.error!.length <= 160);
});

Deno.test("health: another page in front is as it is said, and what was wrong with the one before is not told as over", () => {
  const { health, told, clock } = aHealth();
  health.find(finding("ok"));
  health.find(finding("server-error", { status: 502 }));
  assert.equal(health.isBroken, true);
  told.splice(0);
  clock.now = 5000;
  health.changeTo(finding("ok"));
  assert.deepEqual([health.isBroken, health.page?.since, told], [false, 5000, []]);
  health.find(finding("ok"));
  assert.deepEqual(told, [], "nor told as open");
  health.find(finding("dns"));
  assert.equal(told.length, 1);
});

Deno.test("health: when the next try is, is told by the machine's clock, and the same at every look", () => {
  const { health, clock } = aHealth();
  const told = (nextTryAt: number) => {
    health.find(finding("dns", { nextTryAt }));
    return withPage(status("running"), health).page?.nextTryAt;
  };
  clock.elapsed = 40_000;
  assert.equal(told(47_000), 8000);
  Object.assign(clock, { now: 3003, elapsed: 42_000 });
  assert.equal(told(47_000), 8000, "a look that is some milliseconds late");
  clock.now -= 3_600_000;
  assert.equal(told(47_000), 8003 - 3_600_000, "the clock was set back");
});
