/** The page of a browser that was just started, in a browser that lives in memory. */
import assert from "node:assert/strict";
import { FirstPages } from "../../../lib/fleet/first_pages.ts";
import { PageKeeper } from "../../../lib/live/page/keeper.ts";
import { FakeBrowser } from "../../support/fake_browser.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { aGround, aKeptStream } from "../../support/ground.ts";
import { until } from "../../support/same.ts";

const URL = "https://wall.example/board";

/** A stream whose browser is not there yet. */
function aBrowser(restMs = 1000) {
  const state = { rounds: 0, looks: 0, opened: [] as string[], served: [] as string[][] };
  const browser = new FakeBrowser();
  const { go } = browser;
  browser.go = (tab, url) => {
    state.opened.push(url);
    go.call(browser, tab, url);
  };
  const world = aGround();
  world.machine.browsers = {
    of: () => browser.control,
    serve: (ids) => Promise.resolve(void state.served.push([...ids])),
    stop: () => Promise.resolve(),
  };
  world.ground.around.opened = () => void state.looks++;
  const live = aKeptStream(world, { url: URL });
  const { first } = new PageKeeper(live, world.ground, live.spec!);
  const pages = new FirstPages({
    running: () => {
      state.rounds++;
      return [first];
    },
    viewers: () => 0,
    browsers: world.machine.browsers,
    limits: { browserLookMs: 1, browserRestMs: restMs },
    elapsed: () => 0,
  });
  return Object.assign(state, { browser, pages, [Symbol.asyncDispose]: () => pages.stop() });
}

Deno.test("the page is opened as soon as its browser is there, once in each of its lives", async () => {
  await using it = aBrowser();
  it.pages.start();
  await until("a round", () => it.served.length === 1);
  assert.deepEqual([it.opened, it.served], [[], [["clock"]]]);
  for (const lives of [1, 2]) {
    it.browser.start();
    await until("the page", () => it.opened.length === lives);
    it.pages.round();
    assert.deepEqual(it.opened, Array(lives).fill(URL));
    it.browser.end();
  }
});

Deno.test("nobody looks for a browser that is there; its next life is found at once", async () => {
  using clock = new FakeClock();
  await using it = aBrowser(60_000);
  it.pages.start();
  await clock.advance(10);
  assert.ok(it.rounds > 3);
  for (const lives of [1, 2, 3]) {
    it.browser.start();
    await clock.advance(1000);
    assert.equal(it.opened.length, lives);
    const { rounds } = it;
    await clock.advance(50_000);
    assert.equal(it.rounds, rounds);
    it.browser.end();
    await clock.advance(20);
    assert.ok(it.rounds > rounds + 10, `${it.rounds - rounds}`);
  }
});

Deno.test("a page that is there already is left alone, one that was about to be opened is opened", async () => {
  for (const [isOpening, opened] of [[false, []], [true, [URL]]] as const) {
    await using it = aBrowser();
    it.browser.start();
    Object.assign(it.browser.front!, { url: "https://elsewhere.example/", isOpening });
    it.pages.round();
    await until("its look", () => it.looks > 0);
    assert.deepEqual(it.opened, opened);
  }
});
