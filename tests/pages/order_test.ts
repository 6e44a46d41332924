import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { OWN_ANSWER } from "../../lib/model/own_answer.ts";
import type { TestApp } from "../support/app.ts";
import { SIZES } from "../support/browser.ts";
import { DashboardPage } from "../support/dashboard_page.ts";
import { Finger } from "../support/finger.ts";
import { same, until } from "../support/same.ts";
import { type UiOptions, type UiTest, uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";

const NAMES = ["Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot"];
/** Without the animation of the cards that make room: it takes time, and one test has it. */
const STILL = { reducedMotion: "reduce" } as const;
const PHONE = { viewport: SIZES.phone, hasTouch: true, isMobile: true, ...STILL };

interface Board {
  page: Page;
  dashboard: DashboardPage;
  app: TestApp;
  /** The orders that were sent so far. */
  sent: string[];
}

function orderTest(name: string, test: (board: Board & UiTest) => Promise<void>, options: UiOptions = {}) {
  uiTest(name, async (ui) => await test({ ...ui, ...await openBoard(ui, ui.page) }), {
    streams: NAMES.map((name) => ({ name })),
    context: STILL,
    ...options,
  });
}

async function openBoard({ app, url }: UiTest, page: Page): Promise<Board> {
  const dashboard = new DashboardPage(page, url);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/reorder")) sent.push(request.postDataJSON().ids.join());
  });
  await dashboard.open();
  await untilSortable(page);
  return { page, dashboard, app, sent };
}

/** The library that drags comes as soon as a pointer is on the list. */
async function untilSortable(page: Page): Promise<void> {
  await page.locator("main ul").first().dispatchEvent("pointerover");
  await page.waitForFunction(() =>
    Object.keys(document.querySelector("main ul")!).some((key) => key.startsWith("Sortable"))
  );
}

async function untilStored({ app }: Board, names: string[]): Promise<void> {
  await until(`the order ${names}`, async () => {
    const { json } = await app.api("GET", "/api/streams");
    const streams: { name: string; order: number }[] = json;
    assert.deepEqual(streams.map(({ order }) => order), streams.map((_, n) => n));
    return String(streams.map(({ name }) => name)) === String(names);
  });
}

/** The middle of a card's thumbnail. */
async function middleOf(dashboard: DashboardPage, name: string): Promise<{ x: number; y: number }> {
  const box = (await dashboard.card(name).locator(".screen").boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Drags one card onto another and holds it there, in its new position. */
async function dragOver(
  { page, dashboard }: Board,
  name: string,
  to: string,
  order: string[],
): Promise<void> {
  const from = await middleOf(dashboard, name);
  const target = await middleOf(dashboard, to);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 10, from.y + 10, { steps: 3 });
  await page.mouse.move(target.x + 20, target.y, { steps: 12 });
  await dashboard.untilOrder(order);
}

async function drag(board: Board, name: string, to: string, order: string[]): Promise<void> {
  await dragOver(board, name, to, order);
  await board.page.mouse.up();
}

/** Holds back the orders that the page sends, until the returned function is called. */
async function blockOrders(page: Page, fulfil?: { status: number; json: unknown }): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/reorder", async (route) => {
    await promise;
    await (fulfil ? route.fulfill(fulfil) : route.continue());
  }, fulfil && { times: 1 });
  return resolve;
}

const DISK_FULL = { status: 500, json: { error: { message: "The disk is full." } } };

orderTest("a card is dragged by mouse, and a reload keeps its position", async (board) => {
  const { page, dashboard, sent } = board;
  const order = ["Bravo", "Charlie", "Alpha", "Delta", "Echo", "Foxtrot"];
  await drag(board, "Alpha", "Charlie", order);
  await untilStored(board, order);
  // a reload drops what playwright has yet to tell of the page before
  await until("the order to be sent", () => sent.length === 1);
  await page.reload();
  await same(() => dashboard.names(), order);
  assert.equal(sent.length, 1);
}, { context: {} });

inSoak(orderTest)("after a drag, what others add and delete lands where it should", async (board) => {
  const { dashboard, app } = board;
  const order = ["Foxtrot", "Alpha", "Bravo", "Charlie", "Delta", "Echo"];
  await drag(board, "Foxtrot", "Alpha", order);
  await untilStored(board, order);
  await app.create({ name: "Golf", desiredState: "stopped" });
  await dashboard.poll();
  await dashboard.untilOrder([...order, "Golf"]);
  await app.api("DELETE", "/api/streams/golf");
  await dashboard.poll();
  await dashboard.untilOrder(order);
});

inSoak(orderTest)("the end of a drag is no click, but a click on a thumbnail is one", async (board) => {
  const { page, dashboard, sent } = board;
  await page.context().route(
    "**/player/*",
    (route) => route.fulfill({ body: "player", contentType: "text/html" }),
  );
  await drag(board, "Alpha", "Bravo", ["Bravo", "Alpha", "Charlie", "Delta", "Echo", "Foxtrot"]);
  await until("the order to be sent", () => sent.length === 1);
  // longer than clicks are ignored after a drag
  await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
  const { x, y } = await middleOf(dashboard, "Charlie");
  await page.mouse.click(x, y);
  await page.waitForURL("**/player/charlie");
  assert.equal(sent.length, 1);
});

inSoak(orderTest)("a finger on the grip drags at once", async (board) => {
  const { page, dashboard, sent } = board;
  const order = ["Bravo", "Alpha", "Charlie", "Delta", "Echo", "Foxtrot"];
  const finger = await Finger.on(page);
  const grip = (await dashboard.card("Alpha").locator(".grip").boundingBox())!;
  const target = await middleOf(dashboard, "Bravo");
  await finger.down(grip.x + grip.width / 2, grip.y + grip.height / 2);
  await finger.move(target.x, target.y + 40, 15);
  await dashboard.untilOrder(order);
  await finger.up();
  await untilStored(board, order);
  // a reload drops what playwright has yet to tell of the page before
  await until("the order to be sent", () => sent.length === 1);
  await page.reload();
  await same(() => dashboard.names(), order);
  assert.equal(sent.length, 1);
}, { context: PHONE });

inSoak(orderTest)("a finger that rests on a thumbnail drags, and its end opens nothing", async (board) => {
  const { page, dashboard } = board;
  const order = ["Bravo", "Alpha", "Charlie", "Delta", "Echo", "Foxtrot"];
  // the library that drags is fetched by this finger's press
  await page.reload();
  await page.locator("main[data-ready=true]").waitFor();
  const finger = await Finger.on(page);
  const [from, target] = [await middleOf(dashboard, "Alpha"), await middleOf(dashboard, "Bravo")];
  await finger.down(from.x, from.y);
  await page.locator(".sortable-chosen").waitFor();
  await finger.move(target.x, target.y + 40, 15);
  await dashboard.untilOrder(order);
  await finger.up();
  await untilStored(board, order);
  assert.equal(page.context().pages().length, 1);
}, { context: PHONE });

inSoak(orderTest)(
  "a finger that rests so long that it selects still drags, and selects nothing",
  async (board) => {
    const { page, dashboard } = board;
    const order = ["Bravo", "Alpha", "Charlie", "Delta", "Echo", "Foxtrot"];
    const bar = page.getByRole("toolbar", { name: "Selected streams" });
    const finger = await Finger.on(page);
    const [from, target] = [await middleOf(dashboard, "Alpha"), await middleOf(dashboard, "Bravo")];
    await finger.down(from.x, from.y);
    await bar.waitFor();
    await page.locator(".sortable-chosen").waitFor();
    await finger.move(target.x, target.y + 40, 15);
    await dashboard.untilOrder(order);
    await bar.waitFor({ state: "detached" });
    await page.locator("main .is-placeholder").waitFor();
    await finger.up();
    await untilStored(board, order);
    assert.equal(page.context().pages().length, 1);
  },
  { context: PHONE },
);

inSoak(orderTest)("a swipe over a thumbnail scrolls the page and moves no card", async (board) => {
  const { page, dashboard, sent } = board;
  const finger = await Finger.on(page);
  const { x, y } = await middleOf(dashboard, "Bravo");
  await finger.down(x, y);
  await finger.move(x, y - 150, 8);
  await finger.up();
  await page.waitForFunction(() => scrollY > 50);
  await same(() => dashboard.names(), NAMES);
  assert.deepEqual(sent, []);
}, { context: PHONE });

orderTest("the menu moves a card, says its position aloud and keeps the focus", async (board) => {
  const { page, dashboard } = board;
  const more = dashboard.action("Delta", "More for");
  await more.focus();
  // m leads to Move…, and there goes round: Move to top, Move up, Move down, Move to end
  const cases: [keys: string, order: string[]][] = [
    ["m", ["Alpha", "Bravo", "Delta", "Charlie", "Echo", "Foxtrot"]],
    ["", ["Delta", "Alpha", "Bravo", "Charlie", "Echo", "Foxtrot"]],
    ["mm", ["Alpha", "Delta", "Bravo", "Charlie", "Echo", "Foxtrot"]],
    ["mmm", ["Alpha", "Bravo", "Charlie", "Echo", "Foxtrot", "Delta"]],
  ];
  for (const [keys, order] of cases) {
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("m");
    await page.keyboard.press("Enter");
    await page.getByRole("menu", { name: "Move Delta" }).waitFor();
    for (const key of keys) await page.keyboard.press(key);
    await page.keyboard.press("Enter");
    await dashboard.untilOrder(order);
    await dashboard.untilAnnounced(`Delta is now ${order.indexOf("Delta") + 1} of 6.`);
    await same(() => dashboard.isFocused(more), true, "the focus stays");
    await untilStored(board, order);
  }
});

inSoak(orderTest)("keys move a card, which keeps the focus", async (board) => {
  const { page, dashboard } = board;
  const play = dashboard.action("Delta", "Play");
  await play.focus();
  await page.keyboard.press("Control+Shift+ArrowLeft");
  await dashboard.untilAnnounced("Delta is now 3 of 6.");
  await page.keyboard.press("Control+Shift+Home");
  await dashboard.untilAnnounced("Delta is now 1 of 6.");
  await same(() => dashboard.isFocused(play), true);
  await untilStored(board, ["Delta", "Alpha", "Bravo", "Charlie", "Echo", "Foxtrot"]);
});

inSoak(orderTest)("another open page follows with its next poll, and keeps its focus", async (board) => {
  const { dashboard, open } = board;
  const { dashboard: other } = await openBoard(board, (await open(STILL)).page);
  const focused = other.action("Echo", "VNC");
  await focused.focus();
  const order = ["Echo", "Alpha", "Bravo", "Charlie", "Delta", "Foxtrot"];
  await drag(board, "Echo", "Alpha", order);
  await untilStored(board, order);
  await other.poll();
  await other.untilOrder(order);
  await same(() => other.isFocused(focused), true, "a move elsewhere takes no focus");
  await other.choose("Foxtrot", "Move to top");
  const next = ["Foxtrot", ...order.slice(0, -1)];
  await untilStored(board, next);
  await dashboard.poll();
  await dashboard.untilOrder(next);
});

for (const fault of ["no answer", "a refusal"]) {
  inSoak(orderTest)(
    `after ${fault}, the old order is back with a message`,
    async (board) => {
      const { page, dashboard } = board;
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route("**/reorder", async (route) => {
        await promise;
        await (fault === "no answer" ? route.abort("connectionrefused") : route.fulfill(DISK_FULL));
      });
      await drag(board, "Alpha", "Bravo", ["Bravo", "Alpha", "Charlie", "Delta", "Echo", "Foxtrot"]);
      await until("the order to be sent", () => board.sent.length === 1);
      await same(
        async () => (await dashboard.names())[0],
        "Bravo",
        "the new order is shown until the answer",
      );
      resolve();
      await dashboard.untilOrder(NAMES);
      const problem = page.getByRole("alert").getByText("The new order was not saved");
      await problem.waitFor();
      if (fault === "a refusal") await page.getByText("The disk is full.").waitFor();
      await page.getByRole("button", { name: "Dismiss" }).click();
      await problem.waitFor({ state: "detached" });
      await untilStored(board, NAMES);
    },
    { mayLog: /reorder|ERR_CONNECTION_REFUSED/ },
  );
}

inSoak(orderTest)("when others changed the list meanwhile, the service's order is shown", async (board) => {
  const { page, dashboard, app } = board;
  // this page does not hear of the new stream in time
  const { json } = await app.api("GET", "/api/streams");
  await page.route("**/api/streams", (route) => route.fulfill({ json, headers: { [OWN_ANSWER]: "1" } }));
  await app.create({ name: "Golf", desiredState: "stopped" });
  const ids = ["golf", "foxtrot", "alpha", "bravo", "charlie", "delta", "echo"];
  await app.api("PUT", "/api/streams/reorder", { ids });
  await dashboard.choose("Bravo", "Move to top");
  await page.getByText("The new order was not saved").waitFor();
  await dashboard.untilOrder(["Foxtrot", "Alpha", "Bravo", "Charlie", "Delta", "Echo"]);
  await page.unroute("**/api/streams");
  await dashboard.poll();
  await dashboard.untilOrder(["Golf", "Foxtrot", "Alpha", "Bravo", "Charlie", "Delta", "Echo"]);
}, { mayLog: /409/ });

inSoak(orderTest)(
  "moves during a save are not lost, and no poll brings an older order back",
  async (board) => {
    const { page, dashboard, sent } = board;
    const release = await blockOrders(page);
    for (let moves = 0; moves < 3; moves++) await dashboard.choose("Alpha", "Move down");
    const order = ["Bravo", "Charlie", "Delta", "Alpha", "Echo", "Foxtrot"];
    await dashboard.untilOrder(order);
    await pollTwice(board);
    await same(() => dashboard.names(), order, "a poll during the save");
    release();
    await untilStored(board, order);
    await pollTwice(board);
    await same(() => dashboard.names(), order, "a poll after it");
    assert.equal(sent.length, 2, "the move between is skipped");
  },
);

inSoak(orderTest)("a refusal during the next drag waits for its end", async (board) => {
  const { page, dashboard, app } = board;
  const refuse = await blockOrders(page, DISK_FULL);
  await drag(board, "Foxtrot", "Alpha", ["Foxtrot", "Alpha", "Bravo", "Charlie", "Delta", "Echo"]);
  const dragged = ["Foxtrot", "Alpha", "Charlie", "Bravo", "Delta", "Echo"];
  await dragOver(board, "Bravo", "Charlie", dragged);
  refuse();
  await page.getByText("The new order was not saved").waitFor();
  await same(() => dashboard.names(), dragged, "nothing moves under the dragged card");
  await page.mouse.up();
  // the old order is back, with the card where it was dropped: the fourth position
  const order = ["Alpha", "Charlie", "Delta", "Bravo", "Echo", "Foxtrot"];
  await dashboard.untilOrder(order);
  await untilStored(board, order);
  await app.create({ name: "Golf", desiredState: "stopped" });
  await dashboard.poll();
  await dashboard.untilOrder([...order, "Golf"]);
}, { mayLog: /500/ });

inSoak(orderTest)("a poll during a drag does not disturb it", async (board) => {
  const { page, dashboard, app } = board;
  const order = ["Bravo", "Charlie", "Alpha", "Delta", "Echo", "Foxtrot"];
  await dragOver(board, "Alpha", "Charlie", order);
  await app.create({ name: "Golf", desiredState: "stopped" });
  await pollTwice(board);
  await same(() => dashboard.names(), order, "the list holds still");
  await dashboard.screenshot("dragging-desktop");
  await app.api("DELETE", "/api/streams/golf"); // an order without it would be refused
  await page.mouse.up();
  await untilStored(board, order);
  await dashboard.untilOrder(order);
});

/** Polls until the page has worked the first answer in: it begins no second poll before. */
async function pollTwice({ page, dashboard }: Board): Promise<void> {
  for (let polls = 0; polls < 2; polls++) {
    const answer = page.waitForResponse((response) => response.url().endsWith("/statuses"));
    await dashboard.poll();
    await answer;
  }
}
