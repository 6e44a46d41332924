/** The page of a wall's past: all its streams at one moment, one bar, in step, and what each slot says. */
import { strict as assert } from "node:assert";
import { runBytes } from "../../lib/machine/os/process.ts";
import type { TestApp } from "../support/app.ts";
import { assertBothAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import type { PastPiece } from "../support/past.ts";
import { takePicture } from "../support/pictures.ts";
import { recordDashboard } from "../support/recorded_dashboard.ts";
import { keepPast, seconds } from "../support/rewind_page.ts";
import { makeWall, RewindWallPage } from "../support/rewind_wall_page.ts";
import { same, until } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";
import { type UiOptions, type UiTest, uiTest } from "../support/ui.ts";

const TV = "Mozilla/5.0 (SMART-TV; Tizen 6.0)";
const OPTIONS: UiOptions = {
  streams: [{ name: "Clock" }, { name: "News" }, { name: "Off" }],
  mayLog: /404/,
};

/** Clock: a picture each 10 s, then each second, then one that stays. */
const clock = (begin: number, now: number): PastPiece[] => [
  { number: 1, seconds: seconds(begin, begin + 600, 10), end: begin + 600 },
  { number: 2, seconds: seconds(begin + 600, begin + 690), end: begin + 1000 },
  { number: 3, seconds: [begin + 1200, begin + 1260], end: now + 3600 },
];

/** News: a picture each minute, in the fifth second; a visit; each second with Clock; off the air before Clock is. */
const news = (begin: number): PastPiece[] => [
  { number: 1, seconds: seconds(begin + 5, begin + 300, 60), end: begin + 400, reason: "visit" },
  { number: 2, seconds: [begin + 500], end: begin + 620 },
  { number: 3, seconds: seconds(begin + 620, begin + 690), end: begin + 900, reason: "stopped" },
];

/** Pasts that begin some two hours ago, at a whole minute, on a wall of 2 x 2. @returns their beginning, as Unix time in s. */
async function keepHistory(app: TestApp): Promise<number> {
  const now = Math.floor(app.machine.now() / 1000);
  const begin = Math.floor(now / 60) * 60 - 7200;
  await keepPast(app, clock(begin, now));
  await keepPast(app, news(begin), "news");
  await app.api("PATCH", "/api/streams/off", { rewind: false });
  await makeWall(app, 2, ["clock", "news", "off", null]);
  return begin;
}

function wallTest(
  name: string,
  test: (wall: RewindWallPage, begin: number, ui: UiTest) => Promise<void>,
  options: UiOptions = OPTIONS,
): void {
  uiTest(name, async (ui) => {
    const begin = await keepHistory(ui.app);
    await test(new RewindWallPage(ui.page, ui.url), begin, ui);
  }, options);
}

wallTest(
  "an address opens its moment on all slots; one without a picture says why; nothing jumps",
  async (wall, begin, ui) => {
    const { page } = wall;
    await wall.open(begin + 137);
    await same(() => wall.seconds(), { Clock: begin + 130, News: begin + 125, Off: null });
    await wall.slot("Off").getByText("This stream's past is not kept.").waitFor();
    await page.getByRole("heading", { name: "Lobby" }).waitFor();
    await page.getByText(/^The past goes back to (today|yesterday) \d\d:\d\d\.$/).waitFor();
    await page.getByText(/^Unchanged since \d\d:\d\d:10, for 7 seconds\.$/).waitFor();
    await same(() => wall.bar.getAttribute("aria-valuetext"), /20\d\d, \d\d:\d\d:17, /);
    await same(ui.layoutShift, 0);
    await wall.open(begin + 450);
    await wall.slot("News").getByText("Not kept: somebody used the browser by VNC.").waitFor();
    await same(() => wall.seconds(), { Clock: begin + 450, News: null, Off: null });
    // off the air while the other goes on
    await wall.open(begin + 1210);
    await wall.slot("News").getByText("The channel was off the air.").waitFor();
    await same(() => wall.seconds(), { Clock: begin + 1200, News: null, Off: null });
  },
);

wallTest("keys go to the nearest change of any stream, and to the newest", async (wall, begin, { page }) => {
  const press = (key: string) => page.keyboard.press(key);
  await wall.open(begin + 122);
  await page.getByText(/^The past goes back to/).waitFor();
  await same(() => wall.seconds(), { Clock: begin + 120, News: begin + 65, Off: null });
  await press("ArrowRight");
  await same(() => wall.value(), begin + 125);
  await same(() => wall.seconds(), { Clock: begin + 120, News: begin + 125, Off: null });
  await page.getByText("News changed at this second.").waitFor();
  await same(() => page.locator(".is-changed").allTextContents(), ["News"]);
  await press("ArrowRight");
  await same(() => wall.value(), begin + 130);
  await same(() => wall.seconds(), { Clock: begin + 130, News: begin + 125, Off: null });
  for (let times = 0; times < 3; times++) await press("ArrowLeft");
  await same(() => wall.value(), begin + 110);
  await same(() => wall.seconds(), { Clock: begin + 110, News: begin + 65, Off: null });
  await press("Shift+ArrowRight");
  await same(() => wall.at(), begin + 170);
  await same(() => wall.seconds(), { Clock: begin + 170, News: begin + 125, Off: null });
  // what comes back behind a gap is a change, too
  await wall.open(begin + 1199);
  await page.getByText(/^The past goes back to/).waitFor();
  await press("ArrowRight");
  await same(() => wall.value(), begin + 1200);
  await press("Home");
  await same(() => page.getByRole("button", { name: "Live" }).getAttribute("aria-pressed"), "true");
  await same(() => wall.seconds(), { Clock: begin + 1260, News: null, Off: null });
  await same(() => wall.at(), null);
});

wallTest("one picture is asked for where one stream has changed", async (wall, begin, { page }) => {
  await wall.open(begin + 122);
  await page.getByText(/^The past goes back to/).waitFor();
  await same(() => wall.seconds(), { Clock: begin + 120, News: begin + 65, Off: null });
  await page.keyboard.press("ArrowRight");
  await same(() => wall.seconds(), { Clock: begin + 120, News: begin + 125, Off: null });
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("picture.jpg")) asked.push(new URL(request.url()).pathname.split("/")[3]);
  });
  await page.keyboard.press("ArrowRight");
  await same(() => wall.seconds(), { Clock: begin + 130, News: begin + 125, Off: null });
  assert.deepEqual(asked, ["clock"]);
});

wallTest("a drag shows all small pictures, and its end is exact", async (wall, begin, { page }) => {
  const sheets = ["clock", "news"].map((id) =>
    page.waitForResponse((answer) => answer.url().includes(`${id}/rewind/small.jpg?`) && answer.ok())
  );
  await wall.open(begin + 240);
  for (const sheet of sheets) await (await sheet).finished();
  const window = { start: begin + 240 - 1800, end: begin + 240 + 1800 };
  const from = await wall.placeOf(begin + 240, window);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (const time of [200, 150, 100]) {
    const { x, y } = await wall.placeOf(begin + time, window);
    await page.mouse.move(x, y);
    await same(async () => (await wall.over("canvas")).sort(), ["Clock", "News"]);
    const { Clock, News } = await wall.seconds();
    assert.ok(Math.abs(Clock! - begin - time) <= 36, `${Clock! - begin} at ${time}`);
    assert.ok(Math.abs(News! - begin - time) <= 86, `${News! - begin} at ${time}`);
  }
  // where one stream has nothing its slot says so, the others go on
  const gap = await wall.placeOf(begin + 450, window);
  await page.mouse.move(gap.x, gap.y);
  await wall.slot("News").getByText("Not kept: somebody used the browser by VNC.").waitFor();
  await same(async () => (await wall.seconds()).News, null);
  const { x, y } = await wall.placeOf(begin + 100, window);
  await page.mouse.move(x, y);
  await page.mouse.up();
  await same(() => wall.over("canvas"), []);
  const at = await wall.value();
  await same(() => wall.at(), at);
  await same(() => wall.seconds(), { Clock: Math.floor(at / 10) * 10, News: begin + 65, Off: null });
});

/** Looks so often at all slots: they are within a second of each other, and of what the page says. @returns the last second. */
async function assertInStep(wall: RewindWallPage, looks: number, within: number): Promise<number> {
  let last = 0;
  for (let look = 0; look < looks; look++) {
    const [told, { Clock, News }] = [await wall.value(), await wall.seconds()];
    assert.ok(Math.abs(Clock! - News!) <= within, `Clock shows ${Clock}, News ${News}`);
    assert.ok(Math.abs(Clock! - told) <= within, `Clock shows ${Clock}, ${told} is told`);
    last = told;
    await wall.page.waitForTimeout(400);
  }
  return last;
}

wallTest("what is played is in step on all slots, also behind a gap", async (wall, begin, { page }) => {
  await wall.open(begin + 622);
  await page.getByText(/^The past goes back to/).waitFor();
  await page.keyboard.press("Space");
  await until("the films to go on", async () => await wall.value() >= begin + 624);
  await same(async () => (await wall.over("video")).sort(), ["Clock", "News"]);
  assert.ok(await assertInStep(wall, 8, 1) >= begin + 626);
  await page.getByRole("button", { name: "Pause" }).click();
  await same(() => wall.over("video"), []);
  const stood = await wall.value();
  await same(() => wall.seconds(), { Clock: stood, News: stood, Off: null });
  await same(() => wall.at(), stood);
  // one begins later than the other
  await wall.open(begin + 495);
  await page.getByText(/^The past goes back to/).waitFor();
  await page.keyboard.press("Space");
  await until("the first film to go on", async () => await wall.value() >= begin + 496);
  await same(() => wall.over("video"), ["Clock"]);
  await wall.slot("News").getByText("Not kept: somebody used the browser by VNC.").waitFor();
  await until("the second one", async () => await wall.value() >= begin + 501);
  await same(() => wall.seconds(), { Clock: begin + 500, News: begin + 500, Off: null });
  await same(async () => (await wall.over("video")).sort(), ["Clock", "News"]);
  // where no stream has anything it goes on behind
  await wall.open(begin + 998);
  await page.getByText(/^The past goes back to/).waitFor();
  await page.keyboard.press("Space");
  await until("what is behind", async () => await wall.value() >= begin + 1200);
  await same(() => wall.seconds(), { Clock: begin + 1200, News: null, Off: null });
});

wallTest("at 60 times the speed small pictures are in step", async (wall, begin, { page }) => {
  await wall.open(begin + 2);
  await page.getByText(/^The past goes back to/).waitFor();
  await page.getByRole("button", { name: "60×" }).click();
  await page.getByRole("button", { name: "Play" }).click();
  await until("it to go on", async () => await wall.value() >= begin + 60);
  await same(async () => (await wall.over("canvas")).sort(), ["Clock", "News"]);
  for (let looks = 0; looks < 3; looks++) {
    const { told, seen } = { told: await wall.value(), seen: await wall.seconds() };
    // a look takes some time, a sheet has a picture each 12 s, and Clock's are each 10 s
    assert.ok(Math.abs(seen.Clock! - told) <= 40, `${seen.Clock! - begin} is seen, ${told - begin} told`);
  }
  await page.keyboard.press("Space");
  const stood = await wall.value();
  await same(() => wall.over("canvas"), []);
  await same(async () => (await wall.seconds()).Clock, Math.floor(stood / 10) * 10);
});

wallTest("a stream in two slots is played in both", async (wall, begin, { app, page }) => {
  await makeWall(app, 2, ["clock", "clock"], "Twice");
  await wall.open(begin + 602, "twice");
  await page.getByText(/^The past goes back to/).waitFor();
  await page.keyboard.press("Space");
  await until("it to go on", async () => await wall.value() >= begin + 604);
  await same(() => wall.over("canvas"), ["Clock", "Clock"]);
});

wallTest(
  "a slot leads to its stream's own past, and the link to the moment is copied",
  async (wall, begin, ui) => {
    const { page, url } = ui;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await wall.open(begin + 137);
    await page.getByText(/^The past goes back to/).waitFor();
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("The link to this moment is copied.").waitFor();
    const time = new Date((begin + 137) * 1000).toISOString().replace(".000Z", "Z");
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(link, `${url}/wall/rewind?layout=lobby&at=${time}`);
    await wall.slot("News").getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${url}/streams/news/rewind?at=${time}`);
    await same(() => wall.second(), begin + 125);
  },
);

wallTest(
  "one bar has all that happened, with the stream's name, and a list has it, too",
  async (wall, begin, ui) => {
    const { app, page } = ui;
    const now = app.machine.now();
    app.machine.advance((begin + 185) * 1000 - now);
    app.service.events.add("news" as never, "page", "The page's server does not answer.", "error");
    app.machine.advance(now - app.machine.now());
    await wall.open(begin + 240);
    await page.getByRole("group", { name: "Events" })
      .getByRole("button", { name: /News, page: The page's server does not answer\.$/ }).waitFor();
    await page.keyboard.press("+");
    await page.getByText("Changes", { exact: true }).click();
    await page.getByRole("button", { name: /:10 Clock: 4 %, top left\.$/ }).first().waitFor();
    await page.getByRole("button", {
      name: /:05 News: 4 %, top left\. News, page: The page's server does not answer\.$/,
    }).click();
    await same(() => wall.value(), begin + 185);
    await same(() => wall.seconds(), { Clock: begin + 180, News: begin + 185, Off: null });
    await page.getByRole("button", { name: "What changed" }).click();
    await page.getByText("News: 4 % of the picture changed, top left.").waitFor();
    await same(() => wall.slot("News").locator(".rewind-frames").count(), 1);
    await same(() => wall.slot("Clock").locator(".rewind-frames").count(), 0);
    await page.keyboard.press("b");
    await same(() => wall.seconds(), { Clock: begin + 180, News: begin + 125, Off: null });
    // bare ground is where no stream has anything
    await same(() => page.locator(".rewind-track text").count(), 0);
  },
);

uiTest("a viewer sees what the streams say, and a page of none is refused", async ({ app, page, url }) => {
  const begin = await keepHistory(app);
  await app.api("PATCH", "/api/streams/news", { rewindFor: "viewers" });
  const vera = { name: "vera", password: "correct horse battery", role: "viewer" };
  assert.equal((await app.api("POST", "/api/users", vera)).status, 201);
  await page.goto(`${url}/wall`);
  await page.getByLabel("User name").fill(vera.name);
  await page.getByLabel("Password").fill(vera.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("link", { name: "Rewind Lobby" }).click();
  const wall = new RewindWallPage(page, url);
  await page.locator("main.rewind[data-ready=true]").waitFor();
  await wall.open(begin + 137);
  await same(() => wall.seconds(), { News: begin + 125 });
  await wall.slot("Clock").getByText("Its past is for operators and admins.").waitFor();
  await app.api("PATCH", "/api/streams/news", { rewindFor: "operators" });
  const refused = await page.goto(`${url}/wall/rewind?layout=lobby`);
  assert.equal(refused!.status(), 403);
  await page.getByText("Only operators and admins can do this.").waitFor();
  await page.goto(`${url}/wall`);
  await page.locator("main[data-ready=true]").waitFor();
  await same(() => page.getByRole("link", { name: "Rewind Lobby" }).isVisible(), false);
}, { ...OPTIONS, env: { AUTH_USER: "anna", AUTH_PASS: "correct horse" }, mayLog: /40[34]/, context: {} });

wallTest(
  "a wall's card leads to its past, and all running streams are a wall, too",
  async (wall, _begin, ui) => {
    const { page, url } = ui;
    await page.goto(`${url}/wall`);
    await page.getByRole("link", { name: "Rewind Lobby" }).click();
    await page.locator("main.rewind[data-ready=true]").waitFor();
    await same(() => page.url(), `${url}/wall/rewind?layout=lobby`);
    await page.getByRole("link", { name: "Watch live" }).click();
    await page.waitForURL(`${url}/wall?layout=lobby`);
    await wall.open(undefined, "running");
    await page.getByRole("heading", { name: "All running streams" }).waitFor();
    await page.getByText("This wall is empty.").waitFor();
    const none = await page.goto(`${url}/wall/rewind?layout=none`);
    assert.equal(none!.status(), 404);
  },
);

wallTest(
  "everyone can use it, on a phone, a desk and a television, in both themes",
  async (wall, begin, ui) => {
    const { page, dashboard } = ui;
    for (const at of [begin + 185, begin + 450]) {
      await wall.open(at);
      await page.getByText(/^The past goes back to/).waitFor();
      await page.getByRole("button", { name: "What changed" }).click();
      await page.getByText("Changes", { exact: true }).click();
      await assertBothAccessible(page, "the page of a wall's past");
      for (const [size, viewport] of Object.entries(SIZES)) {
        await page.setViewportSize(viewport);
        await same(() => dashboard.overflow(), 0, size);
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        if (size !== "phone") assert.ok(height <= viewport.height, `${size}: ${height}`);
      }
    }
  },
);

inSoak(uiTest)(
  "the page of a wall's past, for people to look at",
  async ({ app, url, browser, open }) => {
    const now = Math.floor(app.machine.now() / 1000);
    const ids = Array.from({ length: 9 }, (_, at) => `line-${at + 1}`);
    for (const id of ids.slice(0, 8)) await recordDashboard(app, browser, now, id);
    await makeWall(app, 3, ids, "Control room");
    await makeWall(app, 2, ids.slice(0, 3), "Two by two");
    app.machine.runBytes = runBytes;
    for (const colorScheme of ["dark", "light"] as const) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        const isPhone = size === "phone";
        const userAgent = size === "tv" ? TV : undefined;
        const { page } = await open({
          viewport,
          colorScheme,
          isMobile: isPhone,
          hasTouch: isPhone,
          userAgent,
        });
        const wall = new RewindWallPage(page, url);
        for (const layout of ["control-room", "two-by-two"]) {
          await wall.open(now - 4 * 3600, layout);
          await page.getByText(/^The past goes back to/).waitFor();
          await same(
            async () => Object.values(await wall.seconds()).filter((it) => it !== null).length > 2,
            true,
          );
          await takePicture(page, `rewind-wall-${layout}-${size}-${colorScheme}`);
        }
        await page.context().close();
      }
    }
  },
  {
    streams: Array.from({ length: 9 }, (_, at) => ({ name: `Line ${at + 1}`, desiredState: "running" })),
    mayLog: /404/,
  },
);
