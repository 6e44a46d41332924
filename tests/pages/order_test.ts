import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
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
