/**
 * Whatever dies, hangs or breaks is back within its promise, in virtual time: the real watchdogs on programs and pages that
 * live in memory. All rows of a table happen at the same moment, each to a stream of its own, beside one that nothing
 * happens to. Seconds on a real machine are tests/soak/day_test.ts's.
 */
import { strict as assert } from "node:assert";
import type { SharedName } from "../../lib/control/shared_words.ts";
import { type StreamId } from "../../lib/streams/id.ts";
import type { ProgramKind } from "../../lib/streams/programs.ts";
import { livingTest, pidsOf, problemsOf } from "../support/living_test.ts";
import { GOOD_SITE, type Site } from "../support/fake_browser.ts";

/** Milliseconds until all is well again. */
const DIES = 10_000;
/** Three questions, ten seconds apart, have to be without an answer for five. */
const HANGS = 45_000;
/** An encoder may be silent for twelve seconds; two streams' at once could be the media server's fault. */
const SILENT = 25_000;

/** Null: only `up` sees that, by the process's state (tests/unit/cli). */
const PROGRAMS = {
  display: { dies: DIES, hangs: HANGS },
  wm: { dies: DIES, hangs: null },
  browser: { dies: DIES, hangs: HANGS },
  encoder: { dies: DIES, hangs: SILENT },
  audio: { dies: DIES, hangs: HANGS },
  autologin: { dies: DIES, hangs: null },
  autoreload: { dies: DIES, hangs: null },
} as const satisfies Record<ProgramKind, Record<"dies" | "hangs", number | null>>;

const SHARED = {
  media: { dies: DIES, hangs: HANGS },
  "vnc-proxy": { dies: DIES, hangs: HANGS },
  capture: { dies: DIES, hangs: HANGS },
  front: { dies: DIES, hangs: HANGS },
} as const satisfies Record<SharedName, Record<"dies" | "hangs", number>>;

const HELPERS = { user: "me", pass: "sesame", autoReload: true, autoReloadInterval: 600 };

livingTest("every program of a stream is back when it dies or hangs, and others go on", async (app) => {
  const { living } = app;
  const cases = Object.entries(PROGRAMS).flatMap(([kind, { dies, hangs }]) => [
    { kind: kind as ProgramKind, fault: "dies" as const, limitMs: dies as number },
    ...(hangs === null
      ? []
      : [{ kind: kind as ProgramKind, fault: "hangs" as const, limitMs: hangs as number }]),
  ]);
  const calm = await app.running("Calm");
  const rows = [];
  for (const { kind, fault, limitMs } of cases) {
    const id = await app.running(`${kind} ${fault}`, HELPERS);
    const name = `${kind}-${id}`;
    const before = living.pid(name);
    assert.ok(before, `${name} runs`);
    rows.push({
      ...{ name: `${kind} ${fault}`, limitMs, kind, fault, program: name },
      problem: () =>
        [0, before].includes(living.pid(name)) ? `${name} has pid ${living.pid(name)}` : living.problem(id),
    });
  }
  const untouched = pidsOf(living, calm);
  for (const { fault, program } of rows) living[fault === "dies" ? "kill" : "hang"](program);
  assert.deepEqual(await problemsOf(app, rows), []);
  assert.deepEqual(pidsOf(living, calm), untouched, "the stream that nothing happened to goes on");
});

for (const [name, faults] of Object.entries(SHARED)) {
  livingTest(`the ${name} is back when it dies, and when it hangs`, async (app) => {
    const { living } = app;
    const ids = [await app.running("A"), await app.running("B")];
    for (const [fault, limitMs] of Object.entries(faults)) {
      const before = living.pid(name);
      if (fault === "dies") living.kill(name);
      else living.hang(name);
      const problem = () =>
        [0, before].includes(living.pid(name))
          ? `${name} is as before`
          : ids.map((id) => living.problem(id)).find((one) => one !== null) ?? null;
      assert.deepEqual(await problemsOf(app, [{ name: fault, limitMs, problem }]), []);
    }
  });
}

/** From docs/security.md: a page is back within 30 s; one whose server is broken, one pause after that. */
const BACK = 30_000;

livingTest("every page that is lost is back, and the streams of others go on", async (app) => {
  const { living } = app;
  const lose: Record<string, (id: StreamId) => void> = {
    "crashes": (id) => {
      const { front } = living.browser(id);
      living.browser(id).tell(front!, "Inspector.targetCrashed");
    },
    "hangs": (id) => void (living.browser(id).front!.isHung = true),
    "is led to another site": (id) =>
      living.browser(id).go(living.browser(id).front!, "https://elsewhere.example/"),
    "is led to a page of Chromium's own": (id) => void (living.browser(id).front!.url = "chrome://settings/"),
    "loses its tab": (id) => void (living.browser(id).tabs = []),
    "gets a second window": (id) =>
      living.browser(id).tabs.unshift({ ...living.browser(id).front!, id: "f".repeat(32) }),
    "asks in a dialog": (id) => {
      const { front } = living.browser(id);
      living.browser(id).tell(front!, "Page.javascriptDialogOpening", { message: "Sure?", type: "confirm" });
    },
  };
  const rows = [];
  for (const [what, fault] of Object.entries(lose)) {
    const id = await app.running(`It ${what}`);
    const state = () => app.service.health.added(id, { id, state: "running", programs: [] }).page?.state;
    rows.push({
      ...{ name: what, limitMs: BACK, id, fault },
      problem: () => {
        const { tabs } = living.browser(id);
        const page = state();
        if (page !== "ok") return `the page is ${page}`;
        const { front } = living.browser(id);
        if (front?.url !== `https://${id}.example.org/`) return `in front is ${front?.url}`;
        return tabs.length === 1 ? living.problem(id) : `${tabs.length} tabs are open`;
      },
    });
  }
  // what a page does right after it was opened may be a single sign-on
  await app.clock.advance(app.config.TIMINGS.pageCheckMs * 2);
  const before = rows.map(({ id }) => pidsOf(living, id));
  for (const { id, fault } of rows) fault(id);
  const wrong = await problemsOf(app, rows);
  // a dialog is answered before anybody could see it
  assert.deepEqual(wrong.filter((one) => !/^asks in a dialog: was well at once/.test(one)), []);
  assert.deepEqual(rows.map(({ id }) => pidsOf(living, id)), before, "no program was restarted for a page");
});

livingTest("a page whose server breaks is said to be so, and is back soon after its server", async (app) => {
  const { living } = app;
  const sites: Record<string, Partial<Site>> = {
    "dns": { error: "ERR_NAME_NOT_RESOLVED" },
    "refused": { error: "ERR_CONNECTION_REFUSED" },
    "unreachable": { error: "ERR_ADDRESS_UNREACHABLE" },
    "cut-off": { error: "ERR_EMPTY_RESPONSE" },
    "tls": { error: "ERR_SSL_PROTOCOL_ERROR" },
    "redirects": { error: "ERR_TOO_MANY_REDIRECTS" },
    "needs-login": { status: 401 },
    "forbidden": { status: 403 },
    "not-found": { status: 404 },
    "request-refused": { status: 418 },
    "server-error": { status: 502 },
    "blank": { isBlank: true },
  };
  const streams: { trouble: string; id: StreamId }[] = [];
  for (const trouble of Object.keys(sites)) streams.push({ trouble, id: await app.running(trouble) });
  const state = (id: StreamId) =>
    app.service.health.added(id, { id, state: "running", programs: [] }).page?.state;
  for (const { trouble, id } of streams) {
    const browser = living.browser(id);
    browser.site = { ...GOOD_SITE, ...sites[trouble] };
    browser.go(browser.front!, `https://${id}.example.org/`);
  }
  const told = streams.map(({ trouble, id }) => ({
    name: `${trouble} is told`,
    limitMs: 15_000,
    problem: () => state(id) === trouble ? null : `the page is ${state(id)}`,
  }));
  assert.deepEqual(await problemsOf(app, told), []);
  for (const { id } of streams) living.browser(id).site = GOOD_SITE;
  const { pageRetryMs, pageSlowRetryMs } = app.config.TIMINGS;
  const back = streams.map(({ trouble, id }) => ({
    name: `${trouble} is over`,
    // tried again after the first pause, or the one after
    limitMs: BACK + 3 * Math.max(pageRetryMs, pageSlowRetryMs),
    problem: () => state(id) === "ok" ? living.problem(id) : `the page is ${state(id)}`,
  }));
  assert.deepEqual(await problemsOf(app, back), []);
});
