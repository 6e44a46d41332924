/** A board of many streams: what finds them, and its sections. */
import { strict as assert } from "node:assert";
import type { Locator, Page } from "playwright-core";
import type { TestApp } from "../support/app.ts";
import { SIZES } from "../support/browser.ts";
import { Finger } from "../support/finger.ts";
import { same, until } from "../support/same.ts";
import { uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";

const STREAMS = [
  { name: "Alpha", group: "Walls", url: "https://grafana.example.org/alpha" },
  { name: "Bravo", desiredState: "running" },
  { name: "Charlie", group: "Lobby" },
  { name: "Delta", group: "walls" },
];

uiTest("/ leads to the filter, which is kept in the address", async ({ page, dashboard, url }) => {
  const box = page.getByRole("searchbox", { name: "Filter by name, group or address" });
  const search = () => new URL(page.url()).search;
  await dashboard.open();
  await same(() => dashboard.names(), ["Alpha", "Delta", "Charlie", "Bravo"]);
  await dashboard.press("/");
  await same(() => dashboard.isFocused(box), true);
  for (const [text, found] of [["BRAV", ["Bravo"]], ["walls", ["Alpha", "Delta"]], ["grafana", ["Alpha"]]]) {
    await dashboard.type(text as string);
    await dashboard.untilOrder(found as string[]);
  }
  await page.getByText("1 of 4").waitFor();
  await until("the address", () => search() === "?q=grafana");
  await page.reload();
  await page.locator("main[data-ready=true]").waitFor();
  await same(async () => [await dashboard.names(), await box.inputValue()], [["Alpha"], "grafana"]);
  await box.focus();
  await dashboard.type("none of these");
  await page.getByText("No stream matches.").waitFor();
  await dashboard.press("Escape");
  await dashboard.untilOrder(["Alpha", "Delta", "Charlie", "Bravo"]);
  await until("the address", () => page.url() === `${url}/`);
}, { streams: STREAMS });

uiTest("the header's counts choose what is shown", async ({ page, dashboard }) => {
  const chip = (name: string) => page.getByRole("link", { name, exact: true });
  await dashboard.open();
  await chip("3 stopped").click();
  await dashboard.untilOrder(["Alpha", "Delta", "Charlie"]);
  await chip("Walls 2").click();
  await dashboard.untilOrder(["Alpha", "Delta"]);
  await same(() => chip("3 stopped").getAttribute("aria-current"), "true");
  await chip("3 stopped").click();
  await chip("Walls 2").click();
  await chip("No group 1").click();
  await dashboard.untilOrder(["Bravo"]);
  await chip("3 stopped").click();
  await page.getByRole("link", { name: "Show all" }).click();
  await dashboard.untilOrder(["Alpha", "Delta", "Charlie", "Bravo"]);
}, { streams: STREAMS });

inSoak(uiTest)("a closed section stays closed, without a jump; a filter looks into it", async (ui) => {
  const { page, dashboard, layoutShift } = ui;
  const walls = page.locator("summary", { hasText: "Walls" });
  const isSeen = (name: string) => dashboard.card(name).isVisible();
  await dashboard.open();
  await walls.focus();
  await dashboard.press("Enter");
  await dashboard.card("Alpha").waitFor({ state: "hidden" });
  await page.reload();
  await page.locator("main[data-ready=true]").waitFor();
  await same(() => Promise.all(["Alpha", "Delta", "Charlie"].map(isSeen)), [false, false, true]);
  assert.equal(await layoutShift(), 0);
  await dashboard.press("/");
  await dashboard.type("alph");
  await dashboard.card("Alpha").waitFor();
  await dashboard.press("Escape");
  await dashboard.card("Alpha").waitFor({ state: "hidden" });
  await walls.click();
  await dashboard.card("Alpha").waitFor();
}, { streams: STREAMS });

uiTest("a card moves within its section", async ({ dashboard, app }) => {
  await dashboard.open();
  await dashboard.choose("Delta", "Move up");
  await dashboard.untilAnnounced("Delta is now 1 of 2.");
  await dashboard.untilOrder(["Delta", "Alpha", "Charlie", "Bravo"]);
  await until("the order to be stored", async () => {
    const { json } = await app.api("GET", "/api/streams");
    return String(json.map(({ name }: { name: string }) => name)) === "Delta,Bravo,Charlie,Alpha";
  });
}, { streams: STREAMS });

const PHONE = { viewport: SIZES.phone, hasTouch: true, isMobile: true, reducedMotion: "reduce" } as const;
const bar = (page: Page) => page.getByRole("toolbar", { name: "Selected streams" });
const untilSelected = (page: Page, names: string[]) =>
  page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll(".card[data-selected] h2")].map((it) => it.textContent).join() === wanted,
    names.join(),
  );
const isOnTop = (part: Locator) =>
  part.evaluate((it) => {
    const { x, y, width, height } = it.getBoundingClientRect();
    return it.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
const untilStored = (app: TestApp, what: string, field: string, expected: string) =>
  until(what, async () => {
    const { json } = await app.api("GET", "/api/streams");
    return String(json.map((stream: Record<string, string>) => stream[field])) === expected;
  });

uiTest(
  "many are selected by Ctrl and Shift, started, stopped, renamed and moved at once, and Escape ends it",
  async (ui) => {
    const { page, dashboard, app } = ui;
    const name = (of: string) => dashboard.card(of).getByRole("heading");
    await dashboard.open();
    // the browser takes a link with Ctrl or the middle button as it always does: it opens another tab
    const links = ["/player/alpha", "/streams/alpha", "/player/alpha", "/vnc/alpha"];
    const left = page.evaluate((count) =>
      new Promise((done) => {
        const seen: string[] = [];
        for (const type of ["click", "auxclick"]) {
          addEventListener(type, (event) => {
            seen.push(
              `${event.defaultPrevented} ${(event.target as Element).closest("a")?.getAttribute("href")}`,
            );
            event.preventDefault();
            if (seen.length === count) done(seen);
          });
        }
      }), 2 * links.length);
    const alpha = dashboard.card("Alpha");
    const parts = [
      alpha.locator(".thumbnail"),
      alpha.locator("h2 a"),
      ...["Play", "VNC"].map((word) => dashboard.action("Alpha", word)),
    ];
    for (const part of parts) {
      await part.click({ modifiers: ["ControlOrMeta"] });
      await part.click({ button: "middle" });
    }
    assert.deepEqual(await left, links.flatMap((href) => [`false ${href}`, `false ${href}`]));
    await untilSelected(page, []);
    await page.reload();
    await page.locator("main[data-ready=true]").waitFor();
    await name("Alpha").click({ modifiers: ["ControlOrMeta"] });
    await bar(page).getByText("1 selected").waitFor();
    for (const menu of ["View", "Menu"]) {
      await page.getByRole("button", { name: menu, exact: true }).click();
      await page.getByRole("menu", { name: menu }).waitFor();
      await same(() => isOnTop(bar(page)), false, `the commands lie over what the menu ${menu} covers`);
      await dashboard.press("Escape");
      await same(() => isOnTop(bar(page)), true);
    }
    await name("Charlie").click({ modifiers: ["Shift"] });
    await untilSelected(page, ["Alpha", "Delta", "Charlie"]);
    await name("Delta").click();
    await untilSelected(page, ["Alpha", "Charlie"]);
    await bar(page).getByRole("button", { name: "Start", exact: true }).click();
    await dashboard.untilAnnounced("2 streams are starting.");
    await untilStored(app, "the two to be started", "desiredState", "running,running,running,stopped");
    await bar(page).getByRole("button", { name: "Stop", exact: true }).click();
    await dashboard.untilAnnounced("2 streams are stopped.");
    await untilStored(app, "the two to be stopped", "desiredState", "stopped,running,stopped,stopped");
    await bar(page).getByRole("button", { name: "Rename…" }).click();
    await dashboard.field("Replace with").fill("Hall ");
    await dashboard.dialog("Rename").getByText("Hall Charlie").waitFor();
    await dashboard.press("Enter");
    await untilStored(app, "the new names", "name", "Hall Alpha,Bravo,Hall Charlie,Delta");
    await bar(page).getByRole("button", { name: "Move…" }).click();
    await dashboard.field("Where to").selectOption("Before “Delta”");
    await dashboard.dialog("Move").getByRole("button", { name: "Move" }).click();
    await untilStored(app, "the new order", "name", "Bravo,Hall Alpha,Hall Charlie,Delta");
    await dashboard.dialog("Move").waitFor({ state: "detached" });
    await dashboard.press("ControlOrMeta+z");
    await untilStored(app, "the old order", "name", "Hall Alpha,Bravo,Hall Charlie,Delta");
    await dashboard.press("Escape");
    await bar(page).waitFor({ state: "detached" });
    await untilSelected(page, []);
    const walls = page.getByRole("button", { name: "Select all of Walls" });
    await walls.click();
    await untilSelected(page, ["Hall Alpha", "Delta"]);
    await walls.click();
    await untilSelected(page, []);
  },
  { streams: STREAMS },
);

inSoak(uiTest)("a long press selects, taps select more, and a drag after it takes it back", async (ui) => {
  const { page, dashboard } = ui;
  await dashboard.open();
  const finger = await Finger.on(page);
  const middle = async (name: string) => {
    const { x, y, width, height } = (await dashboard.card(name).locator(".screen").boundingBox())!;
    return [x + width / 3, y + height / 2] as const;
  };
  await finger.down(...await middle("Alpha"));
  await bar(page).getByText("1 selected").waitFor();
  await finger.up();
  await untilSelected(page, ["Alpha"]);
  await dashboard.thumbnail("Delta").or(dashboard.card("Delta").locator(".thumbnail")).first().tap();
  await untilSelected(page, ["Alpha", "Delta"]);
  const [x, y] = await middle("Alpha");
  await finger.down(x, y);
  await untilSelected(page, ["Delta"]);
  await finger.move(x, y + 40, 4);
  await untilSelected(page, ["Alpha", "Delta"]);
  await finger.up();
  assert.equal(page.context().pages().length, 1, "no player was opened");
}, { streams: STREAMS, context: PHONE });

uiTest(
  "a card says who watches and what the stream takes, the footer what all take; the table has the same streams in rows",
  async (ui) => {
    const { page, dashboard, app, layoutShift } = ui;
    const { figures } = app.service;
    const own = { viewers: 3, fps: 25, push: null, cpuPercent: 34, mebibytes: 410 };
    const cost = { cpuPercent: 162, mebibytes: 9216 };
    figures.summary = () => Promise.resolve({ streams: { bravo: own }, cost });
    await dashboard.open();
    const card = dashboard.card("Bravo");
    await card.getByTitle("3 viewers: players that asked for the channel in the last 10 s").waitFor();
    await page.locator(".machine").getByText("1.62 of 2 cores, 9.7 GB").waitFor();
    assert.equal(await layoutShift(), 0, "nothing jumps when the figures come");
    await dashboard.chooseSize("Table");
    await card.locator(".cost").getByText("25 fps, 34 % of a core, 410 MiB").waitFor();
    const boxes = await page.locator(".card").evaluateAll((all) =>
      all.map((it) => [it.getBoundingClientRect().height, it.getBoundingClientRect().left])
    );
    assert.equal(new Set(boxes.map(String)).size, 1, `rows of one height below each other: ${boxes}`);
    assert.ok(boxes[0][0] < 60);
    await same(() => dashboard.spills(), []);
    await dashboard.action("Bravo", "Stop").click();
    await dashboard.untilState("Bravo", "stopped");
    // the headings sort, by keyboard, and the address keeps it
    const heading = (name: string) => page.getByRole("columnheader", { name });
    await heading("Name").getByRole("button").focus();
    await dashboard.press("Enter");
    await dashboard.untilOrder(["Alpha", "Bravo", "Charlie", "Delta"]);
    await same(() => heading("Name").getAttribute("aria-sort"), "ascending");
    await dashboard.press("Enter");
    await dashboard.untilOrder(["Delta", "Charlie", "Bravo", "Alpha"]);
    await until("the address", () => new URL(page.url()).search === "?sort=-name");
    await page.reload();
    await heading("Name").and(page.locator("[aria-sort=descending]")).waitFor();
    await dashboard.untilOrder(["Delta", "Charlie", "Bravo", "Alpha"]);
    await same(() => page.locator("th[scope=col]").count(), 7);
    await same(() => page.getByRole("row").getByRole("rowheader").allTextContents(), [
      ...["Delta", "Charlie", "Bravo", "Alpha"],
    ]);
    await page.getByRole("cell", { name: "Lobby" }).waitFor();
  },
  { streams: STREAMS },
);
