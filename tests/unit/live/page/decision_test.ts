import { strict as assert } from "node:assert";
import { decide } from "../../../../lib/live/page/decision.ts";
import {
  mainPage,
  newHistory,
  type PageHistory,
  type PageObservation,
  type PageRules,
} from "../../../../lib/live/page/history.ts";
import type { PageLook } from "../../../../lib/live/page/looks/page_look.ts";
import { TROUBLES } from "../../../../lib/model/answers/page_health.ts";
import { NET_ERRORS } from "../../../support/net_errors.ts";
import { DEFAULT_TIMINGS } from "../../../../lib/timings.ts";

const HOME = "https://wall.example/board";
const SSO = "https://sso.example/login";
const ERROR = "chrome-error://chromewebdata/";
const NOW = 1_000_000;
const LIMITS = DEFAULT_TIMINGS;
const NO_RULES: PageRules = { loginOrigins: [], accepted: [], acceptedStatuses: [], sites: [] };

/** What was seen of a page at an address; null: it did not answer. */
function look(href: string | null, more: Partial<PageObservation & PageLook> = {}): PageObservation {
  const { status = 200, error = "", isOpening = false, isBlank = false, isLoading = false, ...others } = more;
  return {
    pages: [{ id: "main", url: href === ERROR ? HOME : href ?? HOME }],
    mainId: "main",
    look: href === null ? null : {
      href,
      status,
      error,
      failedAt: "",
      isOpening,
      isBlank,
      isLoading,
      scroll: [],
      zoom: 1,
      isAway: false,
      wasAway: false,
    },
    crash: null,
    dialog: null,
    loadingSince: null,
    isWatched: true,
    isDownload: false,
    certificate: null,
    certificateEndsAt: null,
    isLogin: false,
    ...others,
  };
}

/** A page that could not be opened, by the browser's word. */
const failed = (error: string) => look(ERROR, { status: 0, error });

interface Circumstances {
  viewers?: number;
  now?: number;
  rules?: Partial<PageRules>;
}

function seen(one: PageObservation, history: Partial<PageHistory> = {}, given: Circumstances = {}) {
  const { viewers = 0, now = NOW, rules = {} } = given;
  const before = { ...newHistory(HOME, null), ...history };
  return decide(one, before, { ...NO_RULES, ...rules }, { viewers, now }, LIMITS);
}

/** Looks every second for so many seconds. @returns the seconds of each action, and the last decision. */
function watch(
  one: (now: number) => PageObservation,
  history: Partial<PageHistory>,
  seconds: number,
  given: Circumstances = {},
) {
  let last = seen(one(NOW), history, given);
  const acted: number[] = [];
  for (let second = 0; second <= seconds; second++) {
    const now = NOW + second * 1000;
    last = seen(one(now), second === 0 ? history : last.history, { ...given, now });
    if (last.action.do !== "nothing") acted.push(second);
  }
  return { acted, last };
}

const failedUrl = (url: string) => ({ pages: [{ id: "main", url }] });

/** What is seen, and what its state is then; each of Chromium's errors is in a table of its own. */
const STATES: [what: string, seen: PageObservation, state: string, error?: string][] = [
  ["the page", look(HOME), "ok"],
  ["another path of it", look("https://wall.example/other?x#y"), "ok"],
  ["a page from a file's cache, without a status", look(HOME, { status: 0 }), "ok"],
  [
    "no such name",
    failed("ERR_NAME_NOT_RESOLVED"),
    "dns",
    "ERR_NAME_NOT_RESOLVED",
  ],
  ["the browser's own word for it", failed("DNS_PROBE_FINISHED_NXDOMAIN"), "dns"],
  ["a proxy without its login", look(HOME, { status: 407 }), "proxy-login"],
  ["another program", failed("zoommtg:"), "other-program", "zoommtg:"],
  ["something new", failed("ERR_OF_NEXT_YEAR"), "not-loaded", "ERR_OF_NEXT_YEAR"],
  ["an error without a word", look(ERROR, { status: 0 }), "not-loaded"],
  ["status 401", look(HOME, { status: 401 }), "needs-login"],
  [
    "status 401 without a page",
    look(ERROR, { status: 401, error: "ERR_INVALID_AUTH_CREDENTIALS" }),
    "needs-login",
  ],
  ["status 403", look(HOME, { status: 403 }), "forbidden"],
  ["status 404", look(HOME, { status: 404 }), "not-found"],
  ["status 410", look(HOME, { status: 410 }), "not-found"],
  ["status 429", look(HOME, { status: 429 }), "request-refused"],
  [
    "status 500 without a page",
    look(ERROR, { status: 500, error: "ERR_HTTP_RESPONSE_CODE_FAILURE" }),
    "server-error",
  ],
  ["status 502", look(HOME, { status: 502 }), "server-error"],
  ["a download", look(HOME, { isOpening: true, isDownload: true }), "download"],
  ["crashed", look(null, { crash: "crashed" }), "crashed"],
  ["out of memory", look(null, { crash: "out-of-memory" }), "out-of-memory"],
  ["a dialog", look(null, { dialog: "Really\nleave?" }), "dialog", "Really leave?"],
  ["a dialog without words", look(null, { dialog: "" }), "dialog", "without words"],
  ["no first byte", look(HOME, { loadingSince: NOW - LIMITS.pageAnswerMs }), "slow"],
  ["no first byte, and so no look", look(null, { loadingSince: NOW - LIMITS.pageAnswerMs }), "slow"],
  [
    "a certificate that a person went on with",
    look(HOME, { certificate: certificate("a") }),
    "certificate-issuer",
  ],
];

Deno.test("page health: what is seen of a page has its state, and the browser's word for it", () => {
  const wrong = STATES.flatMap(([what, one, state, error]) => {
    const { health } = seen(one).history;
    const isRight = health.state === state && (error === undefined || health.error === error);
    return isRight ? [] : [`${what}: ${health.state}, ${health.error}`];
  });
  assert.deepEqual(wrong, []);
});

Deno.test("page health: each of Chromium's errors leads to its own sentence, never to the nearest", () => {
  const wrong: string[] = [];
  for (const [trouble, names] of Object.entries(NET_ERRORS)) {
    for (const name of names.split(/\s+/)) {
      const { state } = seen(failed(`ERR_${name}`)).history.health;
      if (state !== trouble) wrong.push(`${name}: ${state}, not ${trouble}`);
    }
  }
  assert.deepEqual(wrong, []);
});

function certificate(digit: string, error = "ERR_CERT_AUTHORITY_INVALID") {
  const fingerprint = digit.repeat(64);
  return { error, fingerprint, subject: "wall.example", issuer: "wall.example", validFrom: 0, validTo: 1 };
}

Deno.test("page health: what takes time is said within 15 s", () => {
  const cases: [state: string, one: PageObservation][] = [
    ["blank", look(HOME, { isBlank: true })],
    ["download", look(HOME, { isOpening: true })],
    ["elsewhere", look("https://news.example/")],
  ];
  for (const [state, one] of cases) {
    const { last } = watch(() => one, {}, 10);
    assert.equal(last.history.health.state, state);
  }
  const silent = watch(() => look(null), {}, 1); // a look at a page that is silent takes 4 s
  assert.equal(silent.last.history.health.state, "hung");
});

Deno.test("page health: an empty page that opens the stream's is no blank page", () => {
  const { history } = seen(look(HOME, { isOpening: true, loadingSince: NOW - 1000 }));
  assert.equal(history.health.state, "opening");
});

Deno.test("page watch: what is done with nobody in the browser, and with somebody", () => {
  const two = [{ id: "main", url: HOME }, { id: "more", url: "https://news.example/" }];
  const dns = { status: 0, error: "ERR_NAME_NOT_RESOLVED" };
  const due = {
    retryAt: NOW,
    awaySince: 0,
    emptySince: 0,
    silent: 2,
    health: { ...newHistory(HOME, null).health },
  };
  const cases: [string, PageObservation, string, string][] = [
    ["the page itself", look(HOME), "nothing", "nothing"],
    ["another path of it", look("https://wall.example/other?x#y"), "nothing", "nothing"],
    ["another origin", look("https://news.example/"), "navigate", "nothing"],
    ["another port", look("https://wall.example:8443/"), "navigate", "nothing"],
    ["without TLS", look("http://wall.example/"), "navigate", "nothing"],
    ["a blank tab", look("about:blank"), "navigate", "nothing"],
    ["a new tab's page", look("chrome://newtab/"), "navigate", "nothing"],
    ["an error page", look(ERROR, dns), "navigate", "navigate"],
    [
      "a page that is blocked",
      look(ERROR, { ...dns, ...failedUrl("file:///etc/passwd") }),
      "navigate",
      "nothing",
    ],
    ["a server's error", look(HOME, { status: 502 }), "navigate", "nothing"],
    ["an empty page", look(HOME, { isBlank: true }), "navigate", "nothing"],
    ["no window", look(null, { pages: [], mainId: null }), "replace", "replace"],
    ["a second window", look(HOME, { pages: two }), "close-others", "nothing"],
    ["a crashed page", look(null, { crash: "crashed" }), "replace", "replace"],
    ["a dialog", look(null, { dialog: "" }), "dismiss", "nothing"],
    ["no answer for long", look(null), "replace", "replace"],
  ];
  for (const [name, one, alone, visited] of cases) {
    assert.equal(seen(one, due).action.do, alone, `${name}, alone`);
    assert.equal(seen(one, due, { viewers: 1 }).action.do, visited, `${name}, with a viewer`);
  }
});

Deno.test("page watch: a page that does not answer is replaced, looks are counted in a row", () => {
  const { acted } = watch(() => look(null), {}, 4);
  assert.deepEqual(acted, [2]);
  const between = watch((now) => look(now === NOW + 2000 ? HOME : null), {}, 4);
  assert.deepEqual(between.acted, []);
});

Deno.test("page watch: a sign-in page on another origin is brought back once, not in a loop", () => {
  const { acted, last } = watch(() => look(SSO), {}, 600);
  assert.equal(acted.length, 1);
  assert.ok(acted[0] * 1000 <= 15_000);
  assert.equal(last.history.health.state, "ok");
  const away = watch(() => look("https://news.example/"), last.history, 20);
  assert.equal(away.acted.length, 1, "a third origin is still away");
});

Deno.test("page watch: what settles after a start counts, what a viewer opened never", () => {
  assert.deepEqual(watch(() => look(SSO), { openedAt: NOW }, 120).acted, []);
  const visited = seen(look(SSO), { openedAt: NOW }, { viewers: 1 });
  assert.equal(visited.history.openedAt, null);
  assert.equal(watch(() => look(SSO), visited.history, 20).acted.length, 1, "after the last viewer left");
});

Deno.test("page watch: a login on an origin of its own has some time more", () => {
  const given = { rules: { loginOrigins: ["https://sso.example"] } };
  const [first] = watch(() => look(SSO), {}, 60, given).acted;
  assert.equal(first, 20);
});

Deno.test("page watch: a blank tab never counts as settled", () => {
  const { acted } = watch(() => look("about:blank"), { openedAt: NOW }, 100);
  assert.ok(acted.length >= 3, `${acted}`);
});

Deno.test("page watch: an opening that nobody saw is repeated, one that is seen is waited for", () => {
  const unseen = (now: number) => look(HOME, { isOpening: true, isWatched: now > NOW + 2000 });
  assert.deepEqual(watch(unseen, {}, 5).acted, [2]);
  const slow = () => look(HOME, { isOpening: true, loadingSince: NOW });
  assert.deepEqual(watch(slow, {}, 50).acted, []);
  assert.equal(watch(slow, {}, 50).last.history.health.state, "slow");
});

Deno.test("page watch: what loads is waited for as long as a desktop browser waits, and asked for once", () => {
  const waits: [what: string, one: PageObservation, end: string][] = [
    ["the first byte", look(HOME, { isOpening: true, loadingSince: NOW }), "timeout"],
    ["the first byte, and so no look", look(null, { loadingSince: NOW }), "timeout"],
    ["a page before that reloads", look(HOME, { loadingSince: NOW }), "timeout"],
    ["the document, or a script in its head", look(HOME, { isBlank: true, isLoading: true }), "blank"],
  ];
  for (const [what, one, end] of waits) {
    const waiting = watch(() => one, { openedAt: NOW }, 299);
    assert.deepEqual([waiting.acted, waiting.last.history.health.state], [[], "slow"], what);
    assert.equal(waiting.last.history.health.nextTryAt, null, what);
    const over = watch(() => one, { openedAt: NOW }, 302);
    assert.deepEqual([over.acted, over.last.history.health.state], [[], end], what);
    assert.notEqual(over.last.history.health.nextTryAt, null, what);
  }
});

Deno.test("page health: a page that is not blank is shown while the rest of it loads", () => {
  assert.equal(seen(look(HOME, { isLoading: true })).history.health.state, "ok");
});

Deno.test("page watch: a page that waits for its next document does not answer, and does not hang", () => {
  const { acted, last } = watch(() => look(null, { loadingSince: NOW }), { openedAt: null }, 9);
  assert.deepEqual([acted, last.history.health.state], [[], "opening"]);
  const unseen = watch(() => look(null, { isWatched: false }), { openedAt: NOW }, 20);
  assert.deepEqual([unseen.acted, unseen.last.history.health.state], [[], "slow"]);
});

/** Seconds between the tries of a page that stays as it is. */
function pauses(one: PageObservation, seconds: number): number[] {
  const { acted } = watch(() => one, {}, seconds);
  return [acted[0], ...acted.slice(1).map((at, index) => at - acted[index])];
}

Deno.test("page watch: a server that is away is tried soon, then less often", () => {
  for (
    const one of [failed("ERR_CONNECTION_REFUSED"), look(HOME, { status: 502 })]
  ) {
    const waits = pauses(one, 400).map((seconds) => Math.floor(seconds / 5) * 5);
    assert.deepEqual(waits.slice(0, 6), [5, 10, 20, 40, 60, 60]);
  }
});

Deno.test("page watch: what only a person will change is tried slowly", () => {
  const waits = pauses(look(HOME, { status: 404 }), 4000).map((seconds) => Math.floor(seconds / 60));
  assert.deepEqual(waits.slice(0, 6), [1, 2, 4, 8, 10, 10]);
});

Deno.test("page watch: a page that crashes is replaced at once, one that goes on so with pauses", () => {
  const crash = look(null, { crash: "crashed" });
  const { acted } = watch(() => crash, {}, 120);
  assert.deepEqual(acted.slice(0, 3).map((at) => Math.floor(at / 5) * 5), [0, 10, 30]);
});

Deno.test("page health: the next try is told while one is planned", () => {
  const refused = failed("ERR_CONNECTION_REFUSED");
  const first = seen(refused);
  assert.equal(first.history.health.nextTryAt, NOW + LIMITS.pageRetryMs);
  const trying = seen(refused, first.history, { now: NOW + LIMITS.pageRetryMs });
  assert.equal(trying.action.do, "navigate");
  assert.equal(trying.history.health.nextTryAt, null);
  const visited = seen(look(HOME, { status: 502 }), {}, { viewers: 1 });
  assert.equal(visited.history.health.nextTryAt, null, "nothing is opened under a person's hands");
});

Deno.test("page health: it is wrong until the page is back, not until it is tried", () => {
  const refused = failed("ERR_CONNECTION_REFUSED");
  const { last } = watch(() => refused, {}, 6);
  const trying = seen(look(HOME, { isOpening: true, loadingSince: NOW }), last.history);
  assert.equal(trying.history.health.state, "refused");
  const back = seen(look(HOME), trying.history);
  assert.deepEqual([back.history.health.state, back.history.failures, back.history.retryAt], ["ok", 0, null]);
});

Deno.test("page watch: another kind of problem begins with its own first pause", () => {
  const { last } = watch(() => look(HOME, { status: 404 }), {}, 200);
  assert.ok(last.history.failures > 0);
  const refused = seen(failed("ERR_CONNECTION_REFUSED"), last.history);
  assert.equal(refused.history.health.nextTryAt, NOW + LIMITS.pageRetryMs);
});

Deno.test("certificates: exactly an accepted one is gone on with, and never again and again", () => {
  const refused = (digit: string) => look(ERROR, { status: 0, certificate: certificate(digit) });
  const rules = { accepted: ["a".repeat(64)] };
  const first = seen(refused("a"), {}, { rules });
  assert.equal(first.action.do, "proceed");
  assert.equal(watch(() => refused("a"), {}, 30, { rules }).acted.length, 3);
  const other = seen(refused("b"), {}, { rules });
  assert.equal(other.action.do, "nothing");
  assert.equal(other.history.health.state, "certificate-changed");
  assert.equal(other.history.health.certificate?.fingerprint, "b".repeat(64));
  assert.equal(seen(refused("a")).history.health.state, "certificate-issuer", "nothing is accepted");
});

Deno.test("certificates: what is accepted is not the reason for another error of the same page", () => {
  const rules = { accepted: ["a".repeat(64)] };
  const errors = {
    "ERR_BAD_SSL_CLIENT_AUTH_CERT": "client-certificate",
    "ERR_SSL_PROTOCOL_ERROR": "tls",
    "ERR_CONNECTION_RESET": "cut-off",
  };
  for (const [error, state] of Object.entries(errors)) {
    const { action, history } = seen(look(ERROR, { status: 0, error, certificate: certificate("a") }), {}, {
      rules,
    });
    assert.deepEqual([action.do, history.health.state, history.health.error], ["nothing", state, error]);
  }
});

Deno.test("certificates: what is accepted is not for another site", () => {
  const one = look(ERROR, {
    status: 0,
    certificate: certificate("a"),
    ...failedUrl("https://news.example/"),
  });
  const { action } = seen(one, {}, { rules: { accepted: ["a".repeat(64)] } });
  assert.notEqual(action.do, "proceed");
});

Deno.test("certificates: a page with one that a person went on with is left when they have gone", () => {
  const one = look(HOME, { certificate: certificate("a") });
  assert.equal(seen(one).action.do, "navigate");
  assert.equal(seen(one, {}, { viewers: 1 }).action.do, "nothing");
  const accepted = seen(one, {}, { rules: { accepted: ["a".repeat(64)] } });
  assert.deepEqual([accepted.action.do, accepted.history.health.state], ["nothing", "ok"]);
});

Deno.test("page watch: the channel's tab is the known one, else the stream's, else the last used", () => {
  const pages = [{ id: "a", url: "https://news.example/" }, { id: "b", url: "https://wall.example/x" }];
  assert.equal(mainPage(pages, "a", HOME)?.id, "a");
  assert.equal(mainPage(pages, "gone", HOME)?.id, "b");
  assert.equal(mainPage(pages.slice(0, 1), null, HOME)?.id, "a");
  assert.equal(mainPage([], null, HOME), undefined);
});

Deno.test("statuses: a page with an accepted one is good, and is not opened again", () => {
  const rules = { acceptedStatuses: [404, 403] };
  for (const status of [404, 403]) {
    const { acted, last } = watch(() => look(HOME, { status }), {}, 300, { rules });
    assert.deepEqual([acted, last.history.health.state, last.history.health.status], [[], "ok", status]);
  }
  assert.equal(seen(look(HOME, { status: 410 }), {}, { rules }).history.health.state, "not-found");
  const blank = watch(() => look(HOME, { status: 404, isBlank: true }), {}, 60, { rules });
  assert.equal(blank.last.history.health.state, "blank", "nothing is to be seen all the same");
});

Deno.test("sites: a page stays on those that belong to it, and is brought back from all others", () => {
  const rules = { sites: ["https://news.example"] };
  const there = watch(() => look("https://news.example/today"), {}, 300, { rules });
  assert.deepEqual([there.acted, there.last.history.health.state], [[], "ok"]);
  const elsewhere = seen(look("https://shop.example/"), { awaySince: NOW - 60_000 }, { rules });
  assert.deepEqual([elsewhere.action.do, elsewhere.history.health.error], [
    "navigate",
    "https://shop.example",
  ]);
});

Deno.test("sites: a page that leads to another one, which cannot be opened, is said to, with that site", () => {
  const OTHER = "https://news.example";
  const at = (url: string, error: string, more = {}) =>
    look(ERROR, { status: 0, error, ...failedUrl(url), ...more });
  const DNS = "ERR_NAME_NOT_RESOLVED";
  const named = (error: string, origin = OTHER) => ["other-site", `${origin} (${error})`];
  const rows: [what: string, one: PageObservation, rules: Partial<PageRules>, expected: (string | null)[]][] =
    [
      ["a name that is not found", at(`${OTHER}/today?a#b`, DNS), {}, named(DNS)],
      ["a port", at("https://wall.example:8443/", "ERR_CONNECTION_REFUSED"), {}, [
        ...named("ERR_CONNECTION_REFUSED", "https://wall.example:8443"),
      ]],
      ["a network that is not its own", at(OTHER, "ERR_BLOCKED_BY_LOCAL_NETWORK_ACCESS_CHECKS"), {}, [
        ...named("ERR_BLOCKED_BY_LOCAL_NETWORK_ACCESS_CHECKS"),
      ]],
      [
        "a certificate",
        at(OTHER, "ERR_CERT_AUTHORITY_INVALID", { certificate: certificate("a") }),
        {},
        named("ERR_CERT_AUTHORITY_INVALID"),
      ],
      ["an error without a page", at(OTHER, "ERR_HTTP_RESPONSE_CODE_FAILURE", { status: 500 }), {}, [
        ...named("ERR_HTTP_RESPONSE_CODE_FAILURE"),
      ]],
      ["a status alone", at(OTHER, "", { status: 404 }), {}, ["other-site", `${OTHER} (404)`]],
      ["no reason", at(OTHER, ""), {}, ["other-site", OTHER]],
      ["its own site", at(`${HOME}/else`, DNS), {}, ["dns", DNS]],
      ["a site that belongs to it", at(OTHER, DNS), { sites: [OTHER] }, ["dns", DNS]],
      ["another program", at("zoommtg://join", "zoommtg:"), {}, ["other-program", "zoommtg:"]],
    ];
  const wrong = rows.flatMap(([what, one, rules, expected]) => {
    const { state, error } = seen(one, {}, { rules }).history.health;
    return `${[state, error]}` === `${expected}` ? [] : [`${what}: ${state}, ${error}`];
  });
  assert.deepEqual(wrong, []);
  const { certificate: told } = seen(rows[3][1]).history.health;
  assert.equal(told, undefined, "nobody is to accept it for the page's own");
  assert.match(TROUBLES["other-site"].advice, /Other sites of the page/);
  const upgraded = decide(
    look(ERROR, { status: 0, error: "ERR_CERT_DATE_INVALID", ...failedUrl(HOME) }),
    newHistory(HOME.replace("https", "http"), null),
    NO_RULES,
    { viewers: 0, now: NOW },
    LIMITS,
  );
  assert.equal(
    upgraded.history.health.state,
    "certificate-expired",
    "https of the same host is the same site",
  );
});

Deno.test("signed out: a page that shows its login says so, wherever that is, and is left to who signs in", () => {
  for (const href of [HOME, SSO]) {
    const history = { settled: "https://sso.example" };
    const { acted, last } = watch(() => look(href, { isLogin: true }), history, 300);
    assert.equal(last.history.health.state, "signed-out", href);
    assert.ok(acted.length >= 2 && acted.length <= 4, "opened again now and then");
    assert.deepEqual(watch(() => look(href, { isLogin: true }), history, 300, { viewers: 1 }).acted, []);
  }
  const back = seen(look(HOME), {
    health: { state: "signed-out", status: 200, error: null, nextTryAt: null },
  });
  assert.equal(back.history.health.state, "ok");
  assert.equal(seen(look(HOME, { isLogin: true, status: 401 })).history.health.state, "needs-login");
});
