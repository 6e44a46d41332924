import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { PublicStream } from "../../lib/streams/schema.ts";
import type { StreamStatus } from "../../lib/streams/status.ts";
import { makeDataDir, pause, startService, type TestService } from "../support/service.ts";
import { assertAccessible } from "../support/axe.ts";
import { launchBrowser, openPage, SIZES, type WatchedPage } from "../support/browser.ts";
import { DashboardPage } from "../support/dashboard_page.ts";

const COUNT = 60;
const STATES = [
  "running",
  "running",
  "failed",
  "running",
  "degraded",
  "running",
  "starting",
  "stopped",
] as const;
const REASON =
  "browser-wall-2 cannot be started. browser-wall-2: [12:12:FATAL:zygote_host.cc(201)] Check failed";

interface Desk {
  service: TestService;
  browser: Browser;
}

Deno.test({
  name: "everyone can use the pages: axe, keyboard, both themes, reduced motion, 0 to 60 streams",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const dataDir = await makeDataDir();
    await writeStreams(dataDir);
    const service = await startService({ dataDir });
    const browser = await launchBrowser();
    const desk = { service, browser };
    try {
      const step = async (name: string, run: (desk: Desk) => Promise<void>) => {
        assert.ok(await t.step(name, () => run(desk)), name);
        for (const context of browser.contexts()) await context.close();
      };
      for (const theme of ["dark", "light"] as const) {
        await step(`axe finds nothing on the ${theme} pages`, (desk) => pages(desk, theme));
        await step(`axe finds nothing in ${theme} menus and dialogs`, (desk) => menusAndDialogs(desk, theme));
        await step(`60 streams in every state, ${theme}, at three sizes`, (desk) => manyStreams(desk, theme));
      }
      await step("every control is reached by Tab and shows it", keyboard);
      await step("nothing moves for those who ask for that", reducedMotion);
      await step("text twice as large breaks nothing", largeText);
    } finally {
      await browser.close();
      await service.stop();
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});

async function writeStreams(dataDir: string): Promise<void> {
  const streams = Array.from({ length: COUNT }, (_, n) => ({
    id: `wall-${n}`,
    name: n === 5
      ? "A name that is much longer than what fits into two lines of a card of any size, really"
      : `Wall ${n}`,
    url: "http://127.0.0.1:9/",
    desiredState: "stopped",
    order: n,
  }));
  await Deno.mkdir(join(dataDir, "streams"), { recursive: true });
  await Deno.writeTextFile(join(dataDir, "streams", "streams.json"), JSON.stringify(streams));
}

/** Opens the board with streams in every state: 60 real pipelines would be too many for a test's machine. */
async function openWall({ service, browser }: Desk, options: Parameters<typeof openPage>[1] = {}) {
  const watched = await openPage(browser, options);
  const { page } = watched;
  const list: PublicStream[] = await (await service.api("GET", "/api/streams")).json();
  const picture = await pictureOf(page);
  await page.route("**/api/streams/statuses", (route) => route.fulfill({ json: statusesOf(list) }));
  await page.route("**/thumb?*", (route) => route.fulfill({ body: picture, contentType: "image/png" }));
  const dashboard = new DashboardPage(page, service.url);
  await dashboard.open();
  await dashboard.untilState("Wall 2", "failed", 10_000);
  return { watched, page, dashboard };
}

function statusesOf(list: PublicStream[]): Record<string, StreamStatus> {
  return Object.fromEntries(list.map(({ id }, n) => {
    const state = STATES[n % STATES.length];
    const hasProblem = state === "failed" || state === "degraded";
    return [id, {
      id,
      state,
      ...(hasProblem ? { reason: REASON } : {}),
      ...(state === "starting" ? {} : { thumbAt: Date.now() - 40_000 }),
      programs: [{ name: `encoder-${id}`, state: "RUNNING", pid: 1, uptime: 4000 }],
    }];
  }));
}

/** A bright picture, on which nothing of ours may become unreadable. */
async function pictureOf(page: Page): Promise<Buffer> {
  const url = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    canvas.width = 640;
    canvas.height = 360;
    const context = canvas.getContext("2d")!;
    const gradient = context.createLinearGradient(0, 0, 640, 360);
    gradient.addColorStop(0, "#ffe9b0");
    gradient.addColorStop(1, "#5aa9e6");
    context.fillStyle = gradient;
    context.fillRect(0, 0, 640, 360);
    return canvas.toDataURL("image/png");
  });
  return Buffer.from(url.split(",")[1], "base64");
}

async function pages(desk: Desk, colorScheme: "dark" | "light") {
  const { page } = await openPage(desk.browser, { colorScheme });
  for (const path of ["/", "/no/such/page", "/player/wall-1.html", "/streams/wall-1/log"]) {
    await page.goto(desk.service.url + path);
    await page.waitForLoadState("networkidle").catch(() => {});
    await assertAccessible(page, `${path} (${colorScheme})`);
  }
  await page.route("**/api/streams", (route) => route.fulfill({ json: [] }));
  await page.goto(desk.service.url);
  await page.getByRole("heading", { name: "Turn a web page into a channel" }).waitFor();
  await assertAccessible(page, `the empty board (${colorScheme})`);
}

async function menusAndDialogs(desk: Desk, colorScheme: "dark" | "light") {
  const { page, dashboard } = await openWall(desk, { colorScheme });
  await assertAccessible(page, `the board (${colorScheme})`);
  await dashboard.openMenu("Wall 1");
  await assertAccessible(page, `a card's menu (${colorScheme})`, "[role=menu]");
  await dashboard.screenshot(`menu-desktop-${colorScheme}`);
  await dashboard.press("Escape");
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await assertAccessible(page, `the page's menu (${colorScheme})`, "[role=menu]");
  await dashboard.press("Escape");
  for (const item of ["Settings", "Backup"]) {
    await dashboard.choosePage(item);
    await dashboard.dialog(item).waitFor();
    await assertAccessible(page, `${item} (${colorScheme})`, "dialog");
    await dashboard.screenshot(`${item.toLowerCase()}-desktop-${colorScheme}`);
    await dashboard.press("Escape");
  }
  for (const item of ["Edit", "Duplicate", "Recreate", "Delete"]) {
    await dashboard.choose("Wall 1", item);
    await page.getByRole("dialog").waitFor();
    await assertAccessible(page, `${item} (${colorScheme})`, "dialog");
    await dashboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await page.getByRole("button", { name: "Add stream" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Add stream" }).click();
  await page.locator("[aria-invalid]").first().waitFor();
  await assertAccessible(page, `the form with problems (${colorScheme})`, "dialog");
  await dashboard.press("Escape");
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = () => false;
  });
  await dashboard.choose("Wall 1", "Copy HLS");
  await dashboard.dialog("Copy this address").waitFor();
  await assertAccessible(page, `an address (${colorScheme})`, "dialog");
  await dashboard.press("Escape");
  await page.context().setOffline(true);
  await page.getByText("Connection lost.").waitFor({ timeout: 15_000 });
  await dashboard.choose("Wall 1", "Move down");
  await page.getByText("The new order was not saved").waitFor();
  await assertAccessible(page, `notices (${colorScheme})`);
}

async function manyStreams(desk: Desk, colorScheme: "dark" | "light") {
  const { page, dashboard, watched } = await openWall(desk, { colorScheme });
  assert.equal(await page.locator(".card").count(), COUNT);
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await dashboard.open();
    await dashboard.untilState("Wall 2", "failed", 10_000);
    for (const word of ["Mini", "Small", "Large", "Medium"]) {
      await dashboard.chooseSize(word);
      await pause(200);
      assert.equal(await dashboard.overflow(), 0, `${word} scrolls sideways on ${size}`);
      assert.deepEqual(await spills(page), [], `${word} on ${size}`);
      if (size !== "desktop" && word !== "Medium") continue; // axe takes its time
      await assertAccessible(page, `${word} cards on ${size} (${colorScheme})`);
    }
    await page.evaluate(() => scrollTo(0, 0));
    await pause(700);
    await dashboard.screenshot(`wall-${size}-${colorScheme}`);
  }
  if (colorScheme === "dark") assert.ok(await wholeCards(page) >= 12, "a wall TV shows 12 cards or more");
  assert.deepEqual(watched.errors, []);
}

/** Controls of the cards that stick out of their card or lie over each other. */
function spills(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll(".card")].flatMap((card) => {
      const frame = card.getBoundingClientRect();
      const boxes = [...card.querySelectorAll(".action, h2, .chip, .remedies > *")].map((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return { name: element.getAttribute("aria-label") ?? element.textContent!, left, right, top, bottom };
      });
      const isOutside = (box: (typeof boxes)[number]) =>
        box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
        box.bottom > frame.bottom + 1;
      const isOver = (one: (typeof boxes)[number], other: (typeof boxes)[number]) =>
        one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 &&
        other.top < one.bottom - 1;
      return [
        ...boxes.filter(isOutside).map(({ name }) => `${name} is outside`),
        ...boxes.flatMap((one, at) =>
          boxes.slice(at + 1).filter((other) => isOver(one, other)).map(({ name }) =>
            `${one.name} is over ${name}`
          )
        ),
      ];
    })
  );
}

function wholeCards(page: Page): Promise<number> {
  return page.evaluate(() =>
    [...document.querySelectorAll(".card")].filter((card) =>
      card.getBoundingClientRect().bottom <= innerHeight
    ).length
  );
}

async function keyboard(desk: Desk) {
  const { page } = await openWall(desk);
  const seen: string[] = [];
  for (let presses = 0; presses < 25; presses++) {
    await page.keyboard.press("Tab");
    const { name, outline } = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement;
      const shown = element.type === "radio" ? element.parentElement! : element;
      const { outlineStyle, outlineWidth } = getComputedStyle(shown);
      return {
        name: element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent!,
        outline: outlineStyle === "none" ? 0 : parseFloat(outlineWidth),
      };
    });
    seen.push(name.trim());
    assert.ok(outline >= 2, `the focus on "${name}" can be seen`);
  }
  const order = [
    "Skip to the content",
    "Browser Stream",
    "Menu",
    "Add stream",
    "Playlist",
    "Medium",
    "Play Stream: Wall 0",
    "Run HTML: Wall 0",
    "VNC: Wall 0",
    "Start Wall 0",
    "More for Wall 0",
    "Play Stream: Wall 1",
  ];
  const start = seen.map((name) => name.replace(/^Stop/, "Start")).slice(0, order.length);
  assert.deepEqual(start, order);
  await page.keyboard.press("Home");
}

async function reducedMotion(desk: Desk) {
  const { page } = await openWall(desk, { reducedMotion: "reduce" });
  const moving = await page.evaluate(() => document.getAnimations().length);
  assert.equal(moving, 0);
  const { page: other } = await openWall(desk, { reducedMotion: "no-preference" });
  assert.ok(
    await other.evaluate(() => document.getAnimations().length) > 0,
    "otherwise a starting stream breathes",
  );
}

async function largeText(desk: Desk) {
  const { page, dashboard }: { page: Page; dashboard: DashboardPage; watched: WatchedPage } = await openWall(
    desk,
  );
  for (const viewport of [SIZES.desktop, SIZES.phone]) {
    await page.setViewportSize(viewport);
    await page.evaluate(() => document.documentElement.style.fontSize = "200%");
    await pause(300);
    await dashboard.screenshot(`large-text-${viewport.width}`);
    assert.equal(await dashboard.overflow(), 0, `on ${viewport.width} pixels`);
    assert.deepEqual(await spills(page), []);
  }
}
