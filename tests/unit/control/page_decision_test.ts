import { strict as assert } from "node:assert";
import {
  decide,
  mainPage,
  newHistory,
  type PageHistory,
  type PageObservation,
} from "../../../lib/control/page_decision.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";

const HOME = "https://wall.example/board";
const SSO = "https://sso.example/login";
const NOW = 1_000_000;

function look(href: string | null, more: Partial<PageObservation> = {}): PageObservation {
  return {
    pages: [{ id: "main", url: href ?? HOME }],
    mainId: "main",
    href,
    isCrashed: false,
    hasDialog: false,
    ...more,
  };
}

function seen(one: PageObservation, history: Partial<PageHistory> = {}, viewers = 0, now = NOW) {
  return decide(one, { ...newHistory(HOME, false), ...history }, { viewers, now }, DEFAULT_TIMINGS);
}

Deno.test("page watch: what is done with nobody in the browser, and with somebody", () => {
  const two = [{ id: "main", url: HOME }, { id: "more", url: "https://news.example/" }];
  const failed = { pages: [{ id: "main", url: HOME }] };
  const wrongTurn = { pages: [{ id: "main", url: "file:///etc/passwd" }] };
  const ERROR = "chrome-error://chromewebdata/";
  const cases: [string, PageObservation, string, string][] = [
    ["the page itself", look(HOME), "nothing", "nothing"],
    ["another path of it", look("https://wall.example/other?x#y"), "nothing", "nothing"],
    ["another origin", look("https://news.example/"), "navigate", "nothing"],
    ["another port", look("https://wall.example:8443/"), "navigate", "nothing"],
    ["without TLS", look("http://wall.example/"), "navigate", "nothing"],
    ["a blank page", look("about:blank"), "navigate", "nothing"],
    ["a new tab's page", look("chrome://newtab/"), "navigate", "nothing"],
    ["an error page", look(ERROR, failed), "navigate", "navigate"],
    ["a page that is blocked", look(ERROR, wrongTurn), "navigate", "nothing"],
    ["no window", look(null, { pages: [], mainId: null }), "replace", "replace"],
    ["a second window", look(HOME, { pages: two }), "close-others", "nothing"],
    ["a crashed page", look(null, { isCrashed: true }), "replace", "replace"],
    ["a dialog", look(null, { hasDialog: true }), "dismiss", "nothing"],
    ["no answer once", look(null), "nothing", "nothing"],
  ];
  for (const [name, one, alone, visited] of cases) {
    assert.equal(seen(one).action.do, alone, `${name}, alone`);
    assert.equal(seen(one, {}, 1).action.do, visited, `${name}, with a viewer`);
  }
});

Deno.test("page watch: a page that does not answer twice is replaced", () => {
  const first = seen(look(null));
  assert.equal(first.action.do, "nothing");
  assert.equal(seen(look(null), first.history).action.do, "replace");
  const between = seen(look(HOME), first.history);
  assert.equal(seen(look(null), between.history).action.do, "nothing", "silent looks are in a row");
});

Deno.test("page watch: a sign-in page on another origin is brought back once, not in a loop", () => {
  const wandered = seen(look(SSO));
  assert.equal(wandered.action.do, "navigate");
  const settled = seen(look(SSO), wandered.history);
  assert.equal(settled.action.do, "nothing");
  for (let round = 0, history = settled.history; round < 5; round++) {
    const again = seen(look(SSO), history);
    assert.equal(again.action.do, "nothing");
    history = again.history;
  }
  const away = seen(look("https://news.example/"), settled.history);
  assert.equal(away.action.do, "navigate", "a third origin is still away");
});

Deno.test("page watch: what settles after a start counts at once, what a viewer opened never", () => {
  const fresh = newHistory(HOME, true);
  assert.equal(seen(look(SSO), fresh).action.do, "nothing");
  const visited = seen(look(SSO), fresh, 1);
  assert.equal(visited.history.isSettling, false);
  assert.equal(seen(look(SSO), visited.history).action.do, "navigate", "after the last viewer left");
});

Deno.test("page watch: a blank page never counts as settled", () => {
  let history = newHistory(HOME, true);
  for (let round = 0; round < 3; round++) {
    const one = seen(look("about:blank"), history);
    assert.equal(one.action.do, "navigate");
    history = one.history;
  }
});

Deno.test("page watch: a page that cannot be loaded is tried less and less often", () => {
  const error = look("chrome-error://chromewebdata/", { pages: [{ id: "main", url: HOME }] });
  const tries: number[] = [];
  let history = newHistory(HOME, false);
  for (let now = NOW; now < NOW + 2_000_000; now += 20_000) {
    const one = seen(error, history, 0, now);
    if (one.action.do === "navigate") tries.push(now - NOW);
    history = one.history;
  }
  const waits = tries.slice(1).map((at, index) => at - tries[index]);
  assert.deepEqual(waits.slice(0, 5), [1, 2, 4, 8, 15].map((times) => times * DEFAULT_TIMINGS.pageRetryMs));
  assert.equal(Math.max(...waits), DEFAULT_TIMINGS.pageLongestRetryMs);
  const back = seen(look(HOME), history);
  assert.deepEqual([back.history.failures, back.history.retryAt], [0, 0]);
});

Deno.test("page watch: the channel's tab is the known one, else the stream's, else the last used", () => {
  const pages = [{ id: "a", url: "https://news.example/" }, { id: "b", url: "https://wall.example/x" }];
  assert.equal(mainPage(pages, "a", HOME)?.id, "a");
  assert.equal(mainPage(pages, "gone", HOME)?.id, "b");
  assert.equal(mainPage(pages.slice(0, 1), null, HOME)?.id, "a");
  assert.equal(mainPage([], null, HOME), undefined);
});
