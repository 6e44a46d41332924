/**
 * Whatever dies, hangs or breaks is back within its promise, in virtual time: the real keepers of programs and pages that
 * live in memory. All rows of a table happen at the same moment, each to a stream of its own, beside one that nothing
 * happens to. Seconds on a real machine are tests/soak/day_test.ts's.
 */
import { strict as assert } from "node:assert";
import type { SharedName } from "../../lib/live/programs/shared_words.ts";
import type { StreamId } from "../../lib/model/id.ts";
import { type Trouble, TROUBLES } from "../../lib/model/answers/page_health.ts";
import type { ProgramKind } from "../../lib/model/programs.ts";
import { type LivingApp, livingTest, pidsOf, problemsOf } from "../support/living_test.ts";
import { type FakeBrowser, GOOD_SITE, type Site, type Tab } from "../support/fake_browser.ts";

/** Milliseconds until all is well again. */
const DIES = 10_000;
const STOPS = 25_000;
/** Three questions, ten seconds apart, have to be without an answer for five. */
const HANGS = 45_000;
/** An encoder may be silent for twelve seconds; two streams' at once could be the media server's fault. */
const SILENT = 25_000;

type Limits = Record<"dies" | "stops" | "hangs", number | null>;

/** Null: nobody asks it, so that nobody can know. A process that is stopped by a signal is seen by `up`, whatever it is. */
const PROGRAMS = {
  display: { dies: DIES, stops: STOPS, hangs: HANGS },
  wm: { dies: DIES, stops: STOPS, hangs: null },
  browser: { dies: DIES, stops: STOPS, hangs: HANGS },
  encoder: { dies: DIES, stops: STOPS, hangs: SILENT },
  audio: { dies: DIES, stops: STOPS, hangs: HANGS },
  autologin: { dies: DIES, stops: STOPS, hangs: null },
  autoreload: { dies: DIES, stops: STOPS, hangs: null },
  push: { dies: DIES, stops: STOPS, hangs: null },
} as const satisfies Record<ProgramKind, Limits>;

const SHARED = {
  media: { dies: DIES, stops: STOPS, hangs: HANGS },
  "vnc-proxy": { dies: DIES, stops: STOPS, hangs: HANGS },
  capture: { dies: DIES, stops: STOPS, hangs: HANGS },
  front: { dies: DIES, stops: STOPS, hangs: HANGS },
} as const satisfies Record<SharedName, Limits>;

const ACTS = { dies: "kill", stops: "stop", hangs: "hang" } as const;

const HELPERS = {
  user: "me",
  pass: "sesame",
  autoReload: true,
  autoReloadInterval: 600,
  pushTo: "rtmp://tv.example.org/live",
  pushKey: "sesame",
};

livingTest(
  "every program of a stream is back when it dies, is stopped or hangs, and others go on",
  async (app) => {
    const { living } = app;
    const cases = Object.entries(PROGRAMS).flatMap(([kind, limits]) =>
      Object.entries(limits).flatMap(([fault, limitMs]) =>
        limitMs === null ? [] : [{ kind: kind as ProgramKind, fault: fault as keyof Limits, limitMs }]
      )
    );
    const calm = await app.running("Calm");
    const rows = [];
    for (const { kind, fault, limitMs } of cases) {
      const id = await app.running(`${kind} ${fault}`, HELPERS);
      const name = `${kind}-${id}`;
      const before = living.pid(name);
      assert.ok(before, `${name} runs`);
      rows.push({
        name: `${kind} ${fault}`,
        limitMs,
        kind,
        fault,
        program: name,
        problem: () =>
          [0, before].includes(living.pid(name)) ? `${name} has pid ${living.pid(name)}` : living.problem(id),
      });
    }
    const untouched = pidsOf(living, calm);
    for (const { fault, program } of rows) living[ACTS[fault]](program);
    assert.deepEqual(await problemsOf(app, rows), []);
    assert.deepEqual(pidsOf(living, calm), untouched, "the stream that nothing happened to goes on");
  },
);

for (const [name, faults] of Object.entries(SHARED)) {
  livingTest(`the ${name} is back when it dies, is stopped or hangs`, async (app) => {
    const { living } = app;
    const ids = [await app.running("A"), await app.running("B")];
    for (const [fault, limitMs] of Object.entries(faults)) {
      const before = living.pid(name);
      living[ACTS[fault as keyof Limits]](name);
      const problem = () =>
        [0, before].includes(living.pid(name))
          ? `${name} is as before`
          : ids.map((id) => living.problem(id)).find((one) => one !== null) ?? null;
      assert.deepEqual(await problemsOf(app, [{ name: fault, limitMs, problem }]), []);
    }
  });
}

/** What is still to be done until a stream has another display than that. */
const moved = ({ living }: LivingApp, id: StreamId, display: number) => ({
  name: "another number",
  // after two such starts a pause comes first
  limitMs: STOPS,
  problem: () => living.display(id) === display ? "it waits for its display" : living.problem(id),
});

livingTest("a stream whose display another user takes goes on with another number", async (app) => {
  const { living } = app;
  living.takeNextDisplays(2);
  const id = await app.running("Wanted");
  const display = living.display(id)!;
  assert.equal(display, app.config.DISPLAY_BASE + 3);
  const other = await app.running("Other");
  const untouched = pidsOf(living, other);
  living.takeDisplay(display);
  living.kill(`display-${id}`);
  assert.deepEqual(await problemsOf(app, [moved(app, id, display)]), []);
  assert.deepEqual(pidsOf(living, other), untouched);
  const { json: { events } } = await app.api("GET", `/api/streams/${id}/events`);
  const texts: string[] = events.map(({ text }: { text: string }) => text);
  const why = "The stream was restarted: another user of this machine had taken its display.";
  assert.equal(texts.filter((text) => text === why).length, 3);
});

livingTest(
  "a display that another user takes again and again is given to no stream while there are others",
  async (app) => {
    const { living } = app;
    const id = await app.running("Wanted");
    const display = living.display(id)!;
    living.keepTakingDisplay(display);
    living.kill(`display-${id}`);
    assert.deepEqual(await problemsOf(app, [moved(app, id, display)]), []);
  },
);

/** From docs/security.md: a page is back within 30 s; one whose server is broken, one pause after that. */
const BACK = 30_000;
/** What is wrong is said within 15 s (lib/timings.ts). */
const TOLD = 15_000;

/**
 * What may be wrong, by what the page's server does then. "lost" is of the table below. "told" is what others report: of a
 * certificate that was accepted, a sign-in helper, an encoder, a disk, a page that is slow, and of a dialog that a person has to answer
 * (tests/unit/live).
 */
const TROUBLES_SHOWN = {
  "dns": { error: "ERR_NAME_NOT_RESOLVED" },
  "refused": { error: "ERR_CONNECTION_REFUSED" },
  "unreachable": { error: "ERR_ADDRESS_UNREACHABLE" },
  "proxy": { error: "ERR_PROXY_CONNECTION_FAILED" },
  "proxy-login": { status: 407 },
  "timeout": { error: "ERR_TIMED_OUT" },
  "slow": "told",
  "cut-off": { error: "ERR_EMPTY_RESPONSE" },
  "certificate-expired": { error: "ERR_CERT_DATE_INVALID" },
  "certificate-name": { error: "ERR_CERT_COMMON_NAME_INVALID" },
  "certificate-issuer": { error: "ERR_CERT_AUTHORITY_INVALID" },
  "certificate-changed": "told",
  "certificate-bad": { error: "ERR_CERT_INVALID" },
  "client-certificate": { error: "ERR_BAD_SSL_CLIENT_AUTH_CERT" },
  "bad-answer": { error: "ERR_INVALID_HTTP_RESPONSE" },
  "tls": { error: "ERR_SSL_PROTOCOL_ERROR" },
  "blocked": { error: "ERR_BLOCKED_BY_CLIENT" },
  "other-program": { error: "ERR_BLOCKED_BY_ADMINISTRATOR", leadsTo: "zoommtg://join" },
  "redirects": { error: "ERR_TOO_MANY_REDIRECTS" },
  "not-loaded": { error: "ERR_FAILED" },
  "needs-login": { status: 401 },
  "forbidden": { status: 403 },
  "not-found": { status: 404 },
  "request-refused": { status: 418 },
  "server-error": { status: 502 },
  "blank": { isBlank: true },
  "download": { status: 204 },
  "login-expired": "told",
  "signed-out": { isLogin: true },
  "login-failed": "told",
  "crashed": "lost",
  "out-of-memory": "lost",
  "hung": "lost",
  "dialog": "told",
  "elsewhere": "lost",
  "other-site": "told",
  "encoder-slow": "told",
  "no-sound": "told",
  "disk-full": "told",
} as const satisfies Record<Trouble, Partial<Site> | "lost" | "told">;

interface Loss {
  /** What is told of it; null where it is repaired without a word. */
  trouble: Trouble | null;
  happens(browser: FakeBrowser, front: Tab): void;
}

const LOST: Record<string, Loss> = {
  "crashes": {
    trouble: "crashed",
    happens: (browser, front) => browser.tell(front, "Inspector.targetCrashed"),
  },
  "runs out of memory": {
    trouble: "out-of-memory",
    happens(browser, front) {
      browser.tell(front, "Target.targetCrashed", { targetId: front.id, status: "oom" });
      browser.tell(front, "Inspector.targetCrashed");
    },
  },
  "hangs": { trouble: "hung", happens: (_, front) => front.isHung = true },
  "is led to another site": {
    trouble: "elsewhere",
    happens: (browser, front) => void browser.go(front, "https://elsewhere.example/"),
  },
  "is led to a page of Chromium's own": {
    trouble: null,
    happens: (_, front) => front.url = "chrome://settings/",
  },
  "loses its tab": { trouble: null, happens: (browser) => browser.tabs = [] },
  "gets a second window": {
    trouble: null,
    happens: (browser, front) => browser.tabs.unshift({ ...front, id: "f".repeat(32) }),
  },
  "asks in a dialog": { trouble: null, happens: (browser, front) => browser.ask(front) },
};

livingTest("every page that is lost is back, and the streams of others go on", async (app) => {
  const { living } = app;
  const state = (id: StreamId) => app.service.fleet.get(id).page?.health.page?.state;
  const rows = [];
  for (const [what, loss] of Object.entries(LOST)) {
    const id = await app.running(`It ${what}`);
    rows.push({
      name: what,
      limitMs: BACK,
      id,
      loss,
      problem: () => {
        const { front, tabs } = living.browser(id);
        if (state(id) !== "ok") return `the page is ${state(id)}`;
        if (front?.url !== `https://${id}.example.org/`) return `in front is ${front?.url}`;
        return tabs.length === 1 ? living.problem(id) : `${tabs.length} tabs are open`;
      },
    });
  }
  // what a page does right after it was opened may be a single sign-on
  await app.clock.advance(app.config.TIMINGS.pageCheckMs * 2);
  const before = rows.map(({ id }) => pidsOf(living, id));
  for (const { id, loss } of rows) loss.happens(living.browser(id), living.browser(id).front!);
  assert.deepEqual(await problemsOf(app, rows), []);
  assert.deepEqual(rows.map(({ id }) => pidsOf(living, id)), before, "no program was restarted for a page");
  const unsaid = rows.filter(({ id, loss: { trouble } }) =>
    trouble !== null &&
    !app.service.events.list(id).some(({ text }) => text.startsWith(TROUBLES[trouble].says.split(" {")[0]))
  );
  assert.deepEqual(unsaid.map(({ name }) => name), [], "no answer came of it");
});

Deno.test("each trouble of a lost page is in the table", () => {
  const lost = Object.entries(TROUBLES_SHOWN).flatMap(([trouble, how]) => how === "lost" ? [trouble] : []);
  const rows = new Set(Object.values(LOST).flatMap(({ trouble }) => trouble ?? []));
  assert.deepEqual([...rows].sort(), lost.sort());
});

livingTest("a page whose server breaks is said to be so, and is back soon after its server", async (app) => {
  const { living } = app;
  const streams: { trouble: string; id: StreamId; site: Partial<Site> }[] = [];
  for (const [trouble, site] of Object.entries(TROUBLES_SHOWN)) {
    if (typeof site === "object") streams.push({ trouble, site, id: await app.running(trouble) });
  }
  const state = (id: StreamId) => app.service.fleet.get(id).page?.health.page?.state;
  for (const { site, id } of streams) {
    const browser = living.browser(id);
    browser.site = { ...GOOD_SITE, ...site };
    browser.go(browser.front!, `https://${id}.example.org/`);
  }
  const told = streams.map(({ trouble, id }) => ({
    name: `${trouble} is told`,
    limitMs: TOLD,
    problem: () => state(id) === trouble ? null : `the page is ${state(id)}`,
  }));
  assert.deepEqual(await problemsOf(app, told), []);
  for (const { id } of streams) living.browser(id).site = GOOD_SITE;
  const { pageRetryMs, pageSlowRetryMs } = app.config.TIMINGS;
  const back = streams.map(({ trouble, id }) => ({
    name: `${trouble} is over`,
    // tried again after the first pause, or the one after
    limitMs: BACK + 3 * (TROUBLES[trouble as Trouble].retry === "slowly" ? pageSlowRetryMs : pageRetryMs),
    problem: () => state(id) === "ok" ? living.problem(id) : `the page is ${state(id)}`,
  }));
  assert.deepEqual(await problemsOf(app, back), []);
});
