/** The page of a browser that was just started, with pretended browsers. */
import assert from "node:assert/strict";
import { FirstPages } from "../../../lib/fleet/first_pages.ts";
import { PageKeeper } from "../../../lib/live/page/keeper.ts";
import { Browser } from "../../../lib/devtools/client.ts";
import type { Wire } from "../../../lib/devtools/connection.ts";
import { OPENING_MARK } from "../../../lib/devtools/open_page.ts";
import { aGround, aKeptStream } from "../../support/ground.ts";
import { pretendedWire } from "../../support/pretended_wire.ts";
import { until } from "../../support/same.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const PAGE = "A".repeat(32);
const URL = "https://wall.example/board";

/** A stream's browser, which shows `shown` when it is there. */
function aBrowser(shown: string | null, isOpening = false, restMs = 1000) {
  const state = {
    rounds: 0,
    shown,
    opened: [] as string[],
    served: [] as string[][],
    ends: [] as (() => void)[],
  };
  const wire = (): Promise<Wire> => {
    if (state.shown === null) return Promise.reject(new Error("the browser does not run"));
    const one = pretendedWire((method, params, tell) => {
      const expression = String(params.expression ?? "");
      if (method === "Target.getTargets") {
        return { targetInfos: [{ targetId: PAGE, type: "page", url: state.shown }] };
      }
      if (method === "Target.attachToTarget") return { sessionId: "1" };
      if (method !== "Runtime.evaluate") return {};
      if (expression === "location.origin") return { result: { value: "https://wall.example" } };
      if (expression.includes(OPENING_MARK)) return { result: { value: { href: state.shown, isOpening } } };
      state.opened.push(/location\.replace\("(.*)"\)/.exec(expression)![1]);
      tell("Page.frameNavigated", { frame: {} });
      return { result: { value: null } };
    });
    state.ends.push(() => one.close());
    return Promise.resolve(one);
  };
  const browsers = {
    of: () => new Browser(wire),
    serve: (ids: Iterable<string>) => Promise.resolve(void state.served.push([...ids])),
    stop: () => Promise.resolve(),
  };
  const world = aGround();
  world.machine.browsers = browsers;
  const live = aKeptStream(world, { url: URL });
  const { first } = new PageKeeper(live, world.ground, live.spec!);
  const pages = new FirstPages({
    running: () => {
      state.rounds++;
      return [first];
    },
    viewers: () => 0,
    browsers,
    limits: { browserLookMs: 1, browserRestMs: restMs },
    elapsed: () => 0,
  });
  return Object.assign(state, {
    pages,
    end: () => state.ends.splice(0).forEach((end) => end()),
    [Symbol.asyncDispose]: () => pages.stop(),
  });
}

Deno.test("the page is opened as soon as its browser is there, once in each of its lives", async () => {
  await using browser = aBrowser(null);
  browser.pages.start();
  await until("a round", () => browser.served.length === 1);
  assert.deepEqual([browser.opened, browser.served], [[], [["clock"]]]);
  for (const lives of [1, 2]) {
    browser.shown = "about:blank";
    await until("the page", () => browser.opened.length === lives);
    browser.pages.round();
    assert.deepEqual(browser.opened, Array(lives).fill(URL));
    browser.shown = null;
    browser.end();
  }
});

Deno.test("nobody looks for a browser that is there; its next life is found at once", async () => {
  using clock = new FakeClock();
  await using browser = aBrowser(null, false, 60_000);
  browser.pages.start();
  await clock.advance(10);
  assert.ok(browser.rounds > 3);
  for (const lives of [1, 2, 3]) {
    browser.shown = "about:blank";
    await clock.advance(1000);
    assert.equal(browser.opened.length, lives);
    const { rounds } = browser;
    await clock.advance(50_000);
    assert.equal(browser.rounds, rounds);
    browser.shown = null;
    browser.end();
    await clock.advance(20);
    assert.ok(browser.rounds > rounds + 10, `${browser.rounds - rounds}`);
  }
});

Deno.test("a page that is there already is left alone, one that was about to be opened is opened", async () => {
  for (const [isOpening, opened] of [[false, []], [true, [URL]]] as const) {
    await using browser = aBrowser("https://elsewhere.example/", isOpening);
    browser.pages.round();
    await until("its look", () => browser.ends.length >= 3);
    if (isOpening) await until("the page", () => browser.opened.length > 0);
    assert.deepEqual(browser.opened, opened);
  }
});
