/** The stream's own page of its site comes back after a visit and after a sign-in. */
import { strict as assert } from "node:assert";
import { isAtAddress } from "../../../../lib/live/page/history.ts";
import { GOOD_SITE } from "../../../support/fake_browser.ts";
import { aKeptPage } from "../../../support/kept_page.ts";

const URL = "https://wall.example/board?room=1";

/** A page that is well, on its own address. */
async function watched() {
  const { world, browser, live, keeper, pass } = aKeptPage({ url: URL });
  const state = {
    escapes: 0,
    isStuck: false,
    events: [] as string[],
    restarts: 0,
  };
  world.machine.pressEscape = () => {
    state.escapes++;
    if (!state.isStuck) browser.closeDialog();
    return Promise.resolve();
  };
  await pass(30);
  world.events();
  return {
    browser,
    state,
    keeper,
    people: world.people,
    pass: async (seconds: number) => {
      await pass(seconds);
      state.restarts += live.done().length;
      state.events.push(...world.events().map((text) => text.replace(/^\w+ \w+ \w+: /, "")));
    },
    [Symbol.asyncDispose]: () => keeper.close().then(() => browser.end()),
  };
}

const OTHER = "https://wall.example/settings";

Deno.test("a visit that ends on another page of the site: the own page comes back within 30 s", async () => {
  await using wall = await watched();
  const { browser, state, people, pass } = wall;
  people.vnc = 1;
  browser.go(browser.front!, OTHER);
  await pass(60);
  assert.equal(browser.front!.url, OTHER, "as long as somebody is there");
  people.vnc = 0;
  await pass(5);
  assert.equal(browser.front!.url, OTHER, "who may only have lost the connection");
  await pass(25);
  assert.equal(browser.front!.url, URL);
  assert.deepEqual(state.events, ["Brought back from /settings: a visit had left it there."]);
});

Deno.test("a visit that ends on the own page, or below it, leaves that as it is", async () => {
  await using wall = await watched();
  const { browser, state, people, pass } = wall;
  people.vnc = 1;
  const deeper = "https://wall.example/board/today?room=1&day=2#x";
  browser.go(browser.front!, deeper);
  await pass(10);
  people.vnc = 0;
  await pass(60);
  assert.equal(browser.front!.url, deeper);
  assert.deepEqual(state.events, []);
});

Deno.test("what a visit leaves open of the browser's own is closed, and nothing else gets a key", async () => {
  await using wall = await watched();
  const { browser, state, people, pass } = wall;
  const visit = async (what: () => void) => {
    state.escapes = 0;
    people.vnc = 1;
    what();
    await pass(20);
    assert.equal(state.escapes, 0, "as long as somebody is there");
    people.vnc = 0;
    await pass(30);
    return state.escapes;
  };
  assert.equal(await visit(() => {}), 0);
  assert.equal(await visit(() => browser.openDialog()), 1);
  assert.equal(browser.dialogs, 0);
  assert.equal(await visit(() => [1, 2].forEach(() => browser.openDialog())), 2);
  // the browser's search stays when a click has given the keys back to the page
  assert.equal(
    await visit(() => {
      browser.openDialog();
      browser.clickIntoPage();
    }),
    1,
  );
  browser.openDialog();
  await pass(60);
  assert.equal(state.escapes, 1, "what comes without a visit is none of its business");
});

Deno.test("what does not close gets some keys and no more, also over a page that is broken", async () => {
  await using wall = await watched();
  const { browser, state, people, pass } = wall;
  state.isStuck = true;
  people.vnc = 1;
  browser.openDialog();
  await pass(5);
  browser.site = { ...GOOD_SITE, status: 502 };
  browser.go(browser.front!, URL);
  await pass(5);
  people.vnc = 0;
  await pass(60);
  assert.equal(state.escapes, 4);
});

Deno.test("a proxy that stays away is looked up again, by another start of the browser, and not all the time", async () => {
  await using wall = await watched();
  const { browser, state, pass } = wall;
  browser.site = { ...GOOD_SITE, error: "ERR_PROXY_CONNECTION_FAILED" };
  browser.go(browser.front!, URL);
  await pass(50);
  assert.equal(state.restarts, 0, "it may be back at once");
  await pass(40);
  assert.equal(state.restarts, 1);
  assert.equal(state.events.filter((text) => text.startsWith("The browser is started again,")).length, 1);
  await pass(100);
  assert.equal(state.restarts, 1);
  browser.site = GOOD_SITE;
  browser.go(browser.front!, URL);
  await pass(60);
  browser.site = { ...GOOD_SITE, error: "ERR_PROXY_CONNECTION_FAILED" };
  browser.go(browser.front!, URL);
  await pass(50);
  assert.equal(state.restarts, 1, "it was back meanwhile");
});

Deno.test("a page that goes on by itself on its own site is not brought back", async () => {
  await using wall = await watched();
  const { browser, state, pass } = wall;
  browser.go(browser.front!, OTHER);
  await pass(120);
  assert.equal(browser.front!.url, OTHER);
  assert.deepEqual(state.events, []);
});

Deno.test("a sign-in that leads to the site's first page: the own page comes back, once", async () => {
  await using wall = await watched();
  const { browser, state, keeper, pass } = wall;
  browser.go(browser.front!, "https://wall.example/home");
  keeper.signedIn();
  await pass(5);
  assert.equal(browser.front!.url, URL);
  assert.deepEqual(state.events, ["Brought back from /home: the sign-in led there."]);
  // an app that leads there again has its way
  browser.go(browser.front!, "https://wall.example/home");
  await pass(60);
  assert.equal(browser.front!.url, "https://wall.example/home");
});

Deno.test("what is at an address, and what is not", () => {
  const at = (href: string, url: string) => isAtAddress(href, url);
  for (
    const [href, url] of [
      ["https://a.example/", "https://a.example/"],
      ["https://a.example/anything?x#y", "https://a.example/"],
      ["https://a.example/d/1/name?orgId=1&kiosk", "https://a.example/d/1"],
      ["https://a.example/d/1", "https://a.example/d/1/"],
      ["https://a.example/?b=2&a=1", "https://a.example/?a=1"],
      ["https://a.example/#/queues?page=1", "https://a.example/#/queues"],
    ]
  ) assert.ok(at(href, url), `${href} is at ${url}`);
  for (
    const [href, url] of [
      ["https://b.example/", "https://a.example/"],
      ["http://a.example/", "https://a.example/"],
      ["https://a.example/d/12", "https://a.example/d/1"],
      ["https://a.example/home", "https://a.example/d/1"],
      ["https://a.example/?a=2", "https://a.example/?a=1"],
      ["https://a.example/#/", "https://a.example/#/queues"],
      ["about:blank", "https://a.example/"],
      ["", "https://a.example/"],
    ]
  ) assert.ok(!at(href, url), `${href} is not at ${url}`);
});
