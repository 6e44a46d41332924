import { strict as assert } from "node:assert";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { pause, startService, type TestService, until } from "../support/service.ts";
import { launchBrowser, openPage, SIZES, type WatchedPage } from "../support/browser.ts";
import { DashboardPage } from "../support/dashboard_page.ts";
import { Finger } from "../support/finger.ts";

const NAMES = ["Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot"];
/** A poll comes every 3 s, and takes its time on a busy machine. */
const ONE_POLL = 5000;

interface Desk {
  service: TestService;
  browser: Browser;
}

interface Board {
  page: Page;
  dashboard: DashboardPage;
  watched: WatchedPage;
  /** Bodies of the reorder requests so far. */
  sent: string[];
}

Deno.test({
  name: "cards are put in order by mouse, finger and keyboard",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService();
    const browser = await launchBrowser();
    const desk = { service, browser };
    try {
      for (const name of NAMES) await service.create({ name, desiredState: "stopped" });
      const step = async (name: string, run: (desk: Desk) => Promise<void>) => {
        await service.api("PUT", "/api/streams/reorder", { ids: NAMES.map((it) => it.toLowerCase()) });
        assert.ok(await t.step(name, () => run(desk)), name);
        for (const context of browser.contexts()) await context.close();
      };
      await step("by mouse, and a reload keeps it", byMouse);
      await step("a click on a picture is no drag, and the end of a drag no click", clicks);
      await step("by finger on the grip", byGrip);
      await step("by finger after a rest on the picture; without one the page scrolls", byRest);
      await step("by keyboard, said aloud, with the focus kept", byKeyboard);
      await step("two open pages agree after a poll", twoPages);
      await step("a refused order is taken back with a message", refused);
      await step("when others changed the list meanwhile, the service's order is shown", conflict);
      await step("moves during a save are not lost", quickMoves);
      await step("a refusal during the next drag waits for its end", refusedWhileDragging);
      await step("a poll during a drag does not disturb it", pollWhileDragging);
    } finally {
      await browser.close();
      await service.stop();
    }
  },
});

async function openBoard({ service, browser }: Desk, options: BrowserContextOptions = {}): Promise<Board> {
  const watched = await openPage(browser, options);
  const { page } = watched;
  const dashboard = new DashboardPage(page, service.url);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/reorder")) sent.push(request.postDataJSON().ids.join());
  });
  const sortable = page.waitForResponse(async (response) => {
    return response.url().endsWith(".js") && (await response.text()).includes("sortable-");
  }).catch(() => {});
  await dashboard.open();
  await sortable;
  await pause(200);
  assert.deepEqual(await dashboard.names(), NAMES);
  return { page, dashboard, watched, sent };
}

async function stored({ service }: Desk): Promise<string[]> {
  const streams: { name: string; order: number }[] = await (await service.api("GET", "/api/streams")).json();
  assert.deepEqual(streams.map(({ order }) => order), streams.map((_, place) => place));
  return streams.map(({ name }) => name);
}

function untilStored(desk: Desk, names: string[]): Promise<void> {
  return until(`the order ${names}`, 5000, async () => String(await stored(desk)) === String(names));
}

/** The middle of a card's picture. */
async function pictureOf(dashboard: DashboardPage, name: string): Promise<{ x: number; y: number }> {
  const box = (await dashboard.card(name).locator(".screen").boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function drag({ page, dashboard }: Board, name: string, to: string): Promise<void> {
  const from = await pictureOf(dashboard, name);
  const target = await pictureOf(dashboard, to);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 10, from.y + 10, { steps: 3 });
  await page.mouse.move(target.x + 20, target.y, { steps: 12 });
  await pause(250);
  await page.mouse.up();
}

async function byMouse(desk: Desk) {
  const board = await openBoard(desk);
  const { page, dashboard, watched } = board;
  const moved = ["Bravo", "Charlie", "Alpha", "Delta", "Echo", "Foxtrot"];
  await drag(board, "Alpha", "Charlie");
  await dashboard.untilOrder(moved, 2000);
  await untilStored(desk, moved);
  assert.equal(board.sent.length, 1);
  await page.reload();
  await dashboard.untilOrder(moved);
  await drag(board, "Foxtrot", "Bravo");
  await untilStored(desk, ["Foxtrot", "Bravo", "Charlie", "Alpha", "Delta", "Echo"]);
  // preact still knows its elements: another change of the list lands where it should
  await desk.service.create({ name: "Golf", desiredState: "stopped" });
  const withGolf = ["Foxtrot", "Bravo", "Charlie", "Alpha", "Delta", "Echo", "Golf"];
  await dashboard.untilOrder(withGolf, ONE_POLL);
  await desk.service.api("DELETE", "/api/streams/golf");
  await dashboard.untilOrder(withGolf.slice(0, -1), ONE_POLL);
  assert.deepEqual(watched.errors, []);
}

async function clicks(desk: Desk) {
  const board = await openBoard(desk);
  const { page, dashboard, sent } = board;
  await page.context().route(
    "**/player/*",
    (route) => route.fulfill({ body: "player", contentType: "text/html" }),
  );
  await drag(board, "Alpha", "Bravo");
  await dashboard.untilOrder(["Bravo", "Alpha", "Charlie", "Delta", "Echo", "Foxtrot"], 2000);
  await pause(500);
  assert.equal(page.context().pages().length, 1, "the drag opened nothing");
  const { x, y } = await pictureOf(dashboard, "Charlie");
  const opening = page.context().waitForEvent("page");
  await page.mouse.click(x, y);
  assert.equal(new URL((await opening).url()).pathname, "/player/charlie");
  assert.equal(sent.length, 1);
}

const PHONE = { viewport: SIZES.phone, hasTouch: true, isMobile: true };

async function byGrip(desk: Desk) {
  const { page, dashboard, sent } = await openBoard(desk, PHONE);
  const finger = await Finger.on(page);
  const grip = (await dashboard.card("Alpha").locator(".grip").boundingBox())!;
  const target = await pictureOf(dashboard, "Bravo");
  await finger.down(grip.x + grip.width / 2, grip.y + grip.height / 2);
  await finger.move(target.x, target.y + 40, 15);
  await pause(250);
  await finger.up();
  const moved = ["Bravo", "Alpha", "Charlie", "Delta", "Echo", "Foxtrot"];
  await dashboard.untilOrder(moved, 2000);
  await untilStored(desk, moved);
  assert.equal(sent.length, 1);
  await page.reload();
  await dashboard.untilOrder(moved);
}

async function byRest(desk: Desk) {
  const { page, dashboard, sent } = await openBoard(desk, PHONE);
  const finger = await Finger.on(page);
  const from = await pictureOf(dashboard, "Alpha");
  await finger.down(from.x, from.y);
  await finger.move(from.x, from.y - 150, 8);
  await finger.up();
  await until("the page to scroll", 3000, () => page.evaluate(() => scrollY > 50));
  await pause(300);
  assert.equal(sent.length, 0, "a swipe moves no card");
  await page.evaluate(() => scrollTo(0, 0));
  await pause(300);

  const target = await pictureOf(dashboard, "Bravo");
  await finger.down(from.x, from.y);
  await pause(500);
  await finger.move(target.x, target.y + 40, 15);
  await pause(250);
  await finger.up();
  await untilStored(desk, ["Bravo", "Alpha", "Charlie", "Delta", "Echo", "Foxtrot"]);
  await pause(500);
  assert.equal(page.context().pages().length, 1, "the finger's end opens nothing");
}

async function byKeyboard(desk: Desk) {
  const { page, dashboard } = await openBoard(desk);
  const more = dashboard.action("Delta", "More for");
  await more.focus();
  const choose = async (letters: string) => {
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    for (const letter of letters) await page.keyboard.press(letter);
    await page.keyboard.press("Enter");
  };
  await choose("mm"); // Move to top, Move up
  const cases: [keys: string, order: string[]][] = [
    ["", ["Alpha", "Bravo", "Delta", "Charlie", "Echo", "Foxtrot"]],
    ["m", ["Delta", "Alpha", "Bravo", "Charlie", "Echo", "Foxtrot"]],
    ["mmm", ["Alpha", "Delta", "Bravo", "Charlie", "Echo", "Foxtrot"]],
  ];
  for (const [keys, order] of cases) {
    if (keys) await choose(keys);
    await dashboard.untilOrder(order, 2000);
    await dashboard.untilAnnounced(`Delta is now ${order.indexOf("Delta") + 1} of 6.`);
    assert.equal(await more.evaluate((it) => it === document.activeElement), true, "the focus stays");
    await untilStored(desk, order);
  }
}

async function twoPages(desk: Desk) {
  const [one, other] = [await openBoard(desk), await openBoard(desk)];
  await other.dashboard.action("Echo", "VNC").focus();
  await drag(one, "Echo", "Alpha");
  const order = ["Echo", "Alpha", "Bravo", "Charlie", "Delta", "Foxtrot"];
  await one.dashboard.untilOrder(order, 2000);
  await other.dashboard.untilOrder(order, ONE_POLL);
  const focused = other.dashboard.action("Echo", "VNC");
  assert.equal(
    await focused.evaluate((it) => it === document.activeElement),
    true,
    "a move elsewhere takes no focus",
  );
  await other.dashboard.choose("Foxtrot", "Move to top");
  const next = ["Foxtrot", ...order.slice(0, -1)];
  await other.dashboard.untilOrder(next, 2000);
  await one.dashboard.untilOrder(next, ONE_POLL);
}

async function refused(desk: Desk) {
  const board = await openBoard(desk);
  const { page, dashboard } = board;
  for (const fault of ["down", "error"]) {
    await page.route("**/reorder", async (route) => {
      await pause(800);
      if (fault === "down") await route.abort("connectionrefused");
      else await route.fulfill({ status: 500, json: { error: { message: "The disk is full." } } });
    });
    await drag(board, "Alpha", "Bravo");
    await dashboard.untilOrder(["Bravo", "Alpha", "Charlie", "Delta", "Echo", "Foxtrot"], 600);
    await dashboard.untilOrder(NAMES, 3000);
    const message = page.getByRole("alert").getByText("The new order was not saved");
    await message.waitFor();
    if (fault === "error") await page.getByText("The disk is full.").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.unroute("**/reorder");
  }
  assert.deepEqual(await stored(desk), NAMES);
}

async function conflict(desk: Desk) {
  const board = await openBoard(desk);
  const { page, dashboard } = board;
  // this page does not hear of the new stream in time
  const list = await (await desk.service.api("GET", "/api/streams")).json();
  await page.route("**/api/streams", (route) => route.fulfill({ json: list }));
  await desk.service.create({ name: "Golf", desiredState: "stopped" });
  await desk.service.api("PUT", "/api/streams/reorder", {
    ids: ["golf", "foxtrot", "alpha", "bravo", "charlie", "delta", "echo"],
  });
  await drag(board, "Bravo", "Alpha");
  await page.getByText("The new order was not saved").waitFor();
  await dashboard.untilOrder(["Foxtrot", "Alpha", "Bravo", "Charlie", "Delta", "Echo"], 1000);
  await page.unroute("**/api/streams");
  await dashboard.untilOrder(["Golf", "Foxtrot", "Alpha", "Bravo", "Charlie", "Delta", "Echo"], ONE_POLL);
  await desk.service.api("DELETE", "/api/streams/golf");
}

async function quickMoves(desk: Desk) {
  const { page, dashboard, sent } = await openBoard(desk);
  await page.route("**/reorder", async (route) => {
    await pause(1500);
    await route.continue();
  });
  for (let moves = 0; moves < 3; moves++) await dashboard.choose("Alpha", "Move down");
  const order = ["Bravo", "Charlie", "Delta", "Alpha", "Echo", "Foxtrot"];
  await dashboard.untilOrder(order, 1000);
  await untilStored(desk, order);
  assert.ok(sent.length <= 3, `${sent.length} requests`);
  await pause(ONE_POLL);
  assert.deepEqual(await dashboard.names(), order, "no poll brought an older order back");
}

async function refusedWhileDragging(desk: Desk) {
  const board = await openBoard(desk);
  const { page, dashboard, watched } = board;
  let refuse = () => {};
  const late = new Promise<void>((done) => refuse = done);
  await page.route("**/reorder", async (route) => {
    await late;
    await route.fulfill({ status: 500, json: { error: { message: "The disk is full." } } });
  }, { times: 1 });
  await drag(board, "Foxtrot", "Alpha");
  await dashboard.untilOrder(["Foxtrot", "Alpha", "Bravo", "Charlie", "Delta", "Echo"], 2000);

  const from = await pictureOf(dashboard, "Bravo");
  const target = await pictureOf(dashboard, "Charlie");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(target.x + 20, target.y, { steps: 12 });
  await pause(250);
  const held = await dashboard.names();
  refuse();
  await page.getByText("The new order was not saved").waitFor();
  assert.deepEqual(await dashboard.names(), held, "nothing moves under the dragged card");
  await page.mouse.up();
  // the old order is back, with the card where it was dropped: the fourth place
  const order = ["Alpha", "Charlie", "Delta", "Bravo", "Echo", "Foxtrot"];
  await dashboard.untilOrder(order, 2000);
  await untilStored(desk, order);
  await desk.service.create({ name: "Golf", desiredState: "stopped" });
  await dashboard.untilOrder([...order, "Golf"], ONE_POLL);
  await desk.service.api("DELETE", "/api/streams/golf");
  await dashboard.untilOrder(order, ONE_POLL);
  assert.deepEqual(watched.errors.filter((error) => !error.includes("500")), []);
}

async function pollWhileDragging(desk: Desk) {
  const { page, dashboard } = await openBoard(desk);
  const from = await pictureOf(dashboard, "Alpha");
  const target = await pictureOf(dashboard, "Charlie");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(target.x + 20, target.y, { steps: 15 });
  await desk.service.create({ name: "Golf", desiredState: "stopped" });
  await pause(ONE_POLL);
  assert.equal(await dashboard.card("Golf").count(), 0, "the list holds still");
  await dashboard.screenshot("dragging-desktop");
  await desk.service.api("DELETE", "/api/streams/golf");
  await page.mouse.up();
  await untilStored(desk, ["Bravo", "Charlie", "Alpha", "Delta", "Echo", "Foxtrot"]);
  await dashboard.untilOrder(["Bravo", "Charlie", "Alpha", "Delta", "Echo", "Foxtrot"], ONE_POLL);
}
