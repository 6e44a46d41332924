/** The stream's own page of its site comes back after a visit and after a sign-in. */
import { strict as assert } from "node:assert";
import { GOOD_SITE } from "../../../support/fake_browser.ts";
import { aKeptPage } from "../../../support/kept_page.ts";

const URL = "https://wall.example/board?room=1";

/** A page that is well, on its own address. */
async function watched(url = URL) {
  const { world, browser, live, keeper, pass } = aKeptPage({ url });
  const state = {
    escapes: 0,
    pointers: 0,
    resets: 0,
    isStuck: false,
    events: [] as string[],
    restarts: 0,
  };
  world.machine.pressEscape = () => {
    state.escapes++;
    if (!state.isStuck) browser.closeDialog();
    return Promise.resolve();
  };
  world.machine.resetZoom = () => {
    state.resets++;
    if (!state.isStuck) browser.zoom = 1;
    return Promise.resolve();
  };
  world.machine.takePointer = () => Promise.resolve(void state.pointers++);
  await pass(30);
  world.events();
  return {
    browser,
    state,
    keeper,
    people: world.people,
    /** Hours go by in which nothing is looked at. */
    hours: (count: number) => void (world.clock.now += count * 3_600_000),
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

Deno.test("a visit that is over before anybody has looked is a visit, too", async () => {
  await using wall = await watched();
  const { browser, keeper, pass } = wall;
  keeper.visited();
  browser.go(browser.front!, OTHER);
  await pass(30);
  assert.equal(browser.front!.url, URL);
});

/** Addresses of streams, those that their pages then have by themselves, and where a visit or a sign-in may leave them. */
const PLACES: [url: string, own: string[], left: string, comesBack: boolean][] = [
  ["https://h.example/", [], "https://h.example/settings", true],
  ["https://h.example/", [], "https://h.example/?page=9", true],
  ["https://h.example/", [], "https://h.example/#/settings", true],
  ["https://h.example/#/queues", [], "https://h.example/#/queues/1", true],
  ["https://h.example/d/1", [], "https://h.example/d/1/settings", true],
  ["https://h.example/d/1", [], "https://h.example/d/12", true],
  ["https://h.example/d/1?room=1", [], "https://h.example/d/1?room=1&page=9", true],
  ["https://h.example/d/1?room=1", [], "https://h.example/d/1?room=2", true],
  ["https://h.example/d/1", ["https://h.example/d/1/a?orgId=1&from=now"], "https://h.example/d/1/a", true],
  ["https://h.example", [], "https://h.example/", false],
  ["https://h.example/d/1", [], "https://h.example/d/1", false],
  // an app writes its state into its address
  [
    "https://h.example/d/1",
    ["https://h.example/d/1/a?orgId=1&from=now"],
    "https://h.example/d/1/a?orgId=1&from=now",
    false,
  ],
  // it leads to another one, and may still be at its own
  ["https://h.example/", ["https://h.example/home"], "https://h.example/home", false],
  ["https://h.example/", ["https://h.example/home"], "https://h.example/", false],
  // slides by themselves
  ["https://h.example/", ["https://h.example/#1", "https://h.example/#2"], "https://h.example/#1", false],
];

/** Where a page is at last that is left somewhere else, and what its stream tells of that. */
async function leftAt(url: string, own: string[], left: string, how: "visit" | "sign-in") {
  await using wall = await watched(url);
  const { browser, state, keeper, people, pass, hours } = wall;
  for (const href of own) {
    browser.go(browser.front!, href);
    await pass(6);
    hours(1);
  }
  if (how === "visit") people.vnc = 1;
  browser.go(browser.front!, left);
  if (how === "sign-in") keeper.signedIn();
  await pass(5);
  people.vnc = 0;
  await pass(25);
  return { at: browser.front!.url, told: state.events.length };
}

Deno.test("a page that is left anywhere else than it was by itself comes back, after a visit and after a sign-in", async () => {
  const wrong: string[] = [];
  for (const [url, own, left, comesBack] of PLACES) {
    for (const how of ["visit", "sign-in"] as const) {
      const { at, told } = await leftAt(url, own, left, how);
      if (at !== (comesBack ? url : left) || told !== Number(comesBack)) wrong.push(`${how} ${left}: ${at}`);
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("a page that leads to another address at each opening is opened once after a visit, and stays", async () => {
  await using wall = await watched("https://h.example/");
  const { browser, state, people, pass } = wall;
  browser.redirect = "https://h.example/home?t=";
  people.vnc = 1;
  browser.go(browser.front!, "https://h.example/settings");
  await pass(20);
  people.vnc = 0;
  await pass(300);
  assert.equal(browser.front!.url, "https://h.example/home?t=1");
  assert.equal(state.events.length, 1);
});

Deno.test("a page that was opened again after a visit, since it was broken, is not opened once more", async () => {
  await using wall = await watched();
  const { browser, state, people, pass } = wall;
  people.vnc = 1;
  await pass(20);
  browser.site = { ...GOOD_SITE, status: 502 };
  browser.go(browser.front!, OTHER);
  people.vnc = 0;
  await pass(20);
  browser.site = GOOD_SITE;
  browser.redirect = `${URL}&t=`;
  await pass(120);
  assert.equal(browser.front!.url, `${URL}&t=1`);
  assert.ok(!state.events.some((text) => text.startsWith("Brought back")), String(state.events));
});

Deno.test("a page is scrolled back after a visit, and nobody's scrolling is undone", async () => {
  await using wall = await watched();
  const { browser, people, pass } = wall;
  const front = browser.front!;
  front.scroll = [[0, 40], [0, 300]];
  await pass(10);
  people.vnc = 1;
  await pass(10);
  front.scroll = [[0, 0], [7, 900]];
  await pass(20);
  assert.deepEqual(front.scroll, [[0, 0], [7, 900]], "as long as somebody is there");
  people.vnc = 0;
  await pass(30);
  assert.deepEqual(front.scroll, [[0, 40], [0, 300]]);
  front.scroll = [[0, 0], [0, 500]];
  await pass(60);
  assert.deepEqual(front.scroll, [[0, 0], [0, 500]]);
});

Deno.test("the pointer is taken away at the end of each visit, once, however the page is then", async () => {
  await using wall = await watched();
  const { browser, state, people, pass } = wall;
  const visit = async (leave: () => void) => {
    state.pointers = 0;
    people.vnc = 1;
    await pass(20);
    leave();
    assert.equal(state.pointers, 0, "as long as somebody is there");
    people.vnc = 0;
    await pass(60);
    return state.pointers;
  };
  assert.equal(await visit(() => {}), 1);
  assert.equal(await visit(() => browser.go(browser.front!, OTHER)), 1, "on another page");
  assert.equal(await visit(() => browser.go(browser.front!, "https://other.example/")), 1, "of another site");
  browser.site = { ...GOOD_SITE, status: 502 };
  assert.equal(await visit(() => browser.go(browser.front!, URL)), 1, "on a broken page");
});

Deno.test("a page that a visit has left larger gets its size again, and one that changed by itself keeps it", async () => {
  await using wall = await watched();
  const { browser, state, people, pass } = wall;
  const visit = async (zoom: number, url = URL) => {
    people.vnc = 1;
    browser.zoom = zoom;
    browser.go(browser.front!, url);
    await pass(20);
    assert.equal(browser.zoom, zoom, "as long as somebody is there");
    people.vnc = 0;
    await pass(30);
    return browser.zoom;
  };
  assert.equal(await visit(1.5), 1);
  assert.equal(await visit(0.5, OTHER), 1, "on another page, which goes");
  state.isStuck = true;
  state.resets = 0;
  await visit(2);
  await pass(60);
  assert.equal(state.resets, 3, "a browser that stays so is not asked for ever");
  assert.equal(await visit(2), 2, "it is the page's own by then");
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

Deno.test("an app that leads to its first page some seconds after the sign-in is brought back from there", async () => {
  await using wall = await watched();
  const { browser, state, keeper, pass } = wall;
  keeper.signedIn();
  await pass(8);
  browser.go(browser.front!, "https://wall.example/home");
  await pass(6);
  assert.equal(browser.front!.url, URL);
  assert.deepEqual(state.events, ["Brought back from /home: the sign-in led there."]);
});

Deno.test("sign-ins night after night: the own page comes back each time", async () => {
  await using wall = await watched();
  const { browser, keeper, pass, hours } = wall;
  for (let night = 0; night < 5; night++) {
    browser.go(browser.front!, "https://wall.example/home");
    // the page is seen there before the helper reports
    await pass(10);
    keeper.signedIn();
    await pass(5);
    assert.equal(browser.front!.url, URL);
    hours(8);
    await pass(30);
  }
});

Deno.test("a page that asks for its login at each opening stays where that leads", async () => {
  await using wall = await watched();
  const { browser, state, keeper, pass } = wall;
  for (let count = 0; count < 5; count++) {
    browser.go(browser.front!, "https://wall.example/home");
    keeper.signedIn();
    await pass(30);
  }
  assert.equal(browser.front!.url, "https://wall.example/home");
  assert.equal(state.events.length, 2);
});

Deno.test("a sign-in while somebody is there brings the page back when they have left", async () => {
  await using wall = await watched();
  const { browser, keeper, people, pass } = wall;
  people.vnc = 1;
  browser.go(browser.front!, OTHER);
  keeper.signedIn();
  await pass(20);
  people.vnc = 0;
  await pass(5);
  assert.equal(browser.front!.url, OTHER, "who may only have lost the connection");
  await pass(25);
  assert.equal(browser.front!.url, URL);
});
