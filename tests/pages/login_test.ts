/** Logging in and out, and what open pages do when the session ends. */
import { strict as assert } from "node:assert";
import type { BrowserContext, Page } from "playwright-core";
import { sessionCookie } from "../support/app.ts";
import { assertBothAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, playerTest, STREAM } from "../support/player_ui.ts";
import { type UiOptions, type UiTest, uiTest } from "../support/ui.ts";
import { same, until } from "../support/same.ts";
import { takePicture } from "../support/pictures.ts";
import { inSoak } from "../support/soak.ts";

const LOGIN = {
  AUTH_USER: "anna",
  AUTH_PASS: "correct horse",
  TIMINGS: JSON.stringify({ login: { firstDelayMs: 1, longestDelayMs: 2 }, statusCacheMs: 100 }),
};
/** Chromium writes every 401 into the console. */
const OPTIONS: UiOptions = { env: LOGIN, streams: [{ name: "Clock" }], mayLog: /401 \(Unauthorized\)/ };

async function fill(page: Page, pass: string): Promise<void> {
  await page.getByLabel("User name").fill("anna");
  await page.getByLabel("Password").fill(pass);
  await page.getByRole("button", { name: "Log in" }).click();
}

/** Gives a browser the session, as a login does. */
async function giveSession({ app, url }: UiTest, context: BrowserContext): Promise<void> {
  const [name, value] = sessionCookie(app.service).split("=");
  await context.addCookies([{ name, value, url }]);
}

function loggedInTest(name: string, test: (ui: UiTest) => Promise<void>, options: UiOptions = OPTIONS): void {
  uiTest(name, async (ui) => {
    await giveSession(ui, ui.page.context());
    await test(ui);
  }, options);
}

/** A page's first focus is set with its first picture, which comes after its load. */
async function untilFocused(page: Page, name: string): Promise<void> {
  await page.waitForFunction((name) => (document.activeElement as HTMLInputElement).name === name, name);
}

for (const javaScriptEnabled of [true, false]) {
  uiTest(
    `one logs in ${javaScriptEnabled ? "" : "without JavaScript "}and gets to where one was going`,
    async (ui) => {
      const { page, url } = ui;
      await page.goto(`${url}/streams/clock/log?program=browser`);
      if (javaScriptEnabled) {
        await untilFocused(page, "user");
      }
      await fill(page, "wrong");
      const problem = page.getByRole("alert");
      await same(() => problem.innerText(), "The user name or the password is wrong.");
      await same(() => page.getByLabel("User name").inputValue(), "anna");
      await same(() => page.getByLabel("Password").inputValue(), "");
      if (javaScriptEnabled) {
        const style = await problem.evaluate((
          it,
        ) => [getComputedStyle(it).fontWeight, getComputedStyle(it).color]);
        assert.deepEqual(style, ["700", "rgb(255, 107, 107)"]);
        await untilFocused(page, "pass");
        await same(() => ui.layoutShift(), 0);
      }
      await page.getByLabel("Password").fill("correct horse");
      await page.keyboard.press("Enter");
      await page.waitForURL(`${url}/streams/clock/log?program=browser`);
      await same(() => page.getByRole("heading", { level: 1 }).innerText(), "Log of Clock");
    },
    { ...OPTIONS, context: { javaScriptEnabled, colorScheme: "dark" } },
  );
}

uiTest(
  `the login fits on a phone, and axe finds nothing on it`,
  async ({ page, url }) => {
    await page.goto(`${url}/login?next=/vnc/clock`);
    await assertBothAccessible(page, "the login");
    await takePicture(page, `login-phone-light`);
    await fill(page, "wrong");
    await page.getByRole("alert").waitFor();
    await assertBothAccessible(page, "a refused login");
    await page.emulateMedia({ colorScheme: "dark" });
    await takePicture(page, `login-phone-wrong`);
    const { width, height } = SIZES.phone;
    const overflow = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      return [scrollWidth, scrollHeight];
    });
    assert.ok(overflow[0] <= width && overflow[1] <= height, overflow.join());
  },
  { ...OPTIONS, context: { viewport: SIZES.phone, reducedMotion: "reduce" } },
);

inSoak(loggedInTest)("Log out in the header is for this browser", async (ui) => {
  const { page, dashboard, url } = ui;
  await dashboard.open();
  await same(() => page.getByText("There is no login").count(), 0);
  const other = await ui.open();
  await giveSession(ui, other.page.context());
  await page.getByRole("button", { name: "anna admin" }).click();
  await dashboard.screenshot("menu-login-desktop");
  await page.getByRole("button", { name: "Log out", exact: true }).click();
  await page.waitForURL(`${url}/login?out`);
  await page.goto(url);
  await page.waitForURL(`${url}/login`);
  await other.page.goto(url);
  await other.page.getByRole("heading", { name: "Clock" }).waitFor();
});

loggedInTest("Log out everywhere asks, and ends every session", async (ui) => {
  const { page, dashboard, url } = ui;
  await dashboard.open();
  const cookie = sessionCookie(ui.app.service);
  await page.getByRole("button", { name: "anna admin" }).click();
  const everywhere = page.getByRole("group", { name: "Your login" });
  await everywhere.getByText("Log out everywhere…").click();
  await everywhere.getByText("All browsers, screens and players must log in again").waitFor();
  await dashboard.screenshot("logout-everywhere-desktop");
  await dashboard.press("Escape");
  await everywhere.waitFor({ state: "hidden" });
  assert.equal(sessionCookie(ui.app.service), cookie);
  await page.getByRole("button", { name: "anna admin" }).click();
  await everywhere.getByRole("button", { name: "Log out everywhere" }).click();
  await page.waitForURL(`${url}/login?out`);
  await page.getByText("You are logged out.").waitFor();
  assert.notEqual(sessionCookie(ui.app.service), cookie);
});

loggedInTest(
  "the board says when the session has ended, over a dialog too, and goes on after a login",
  async (ui) => {
    const { page, dashboard, app, url } = ui;
    await dashboard.open();
    // a dialog is fetched when it is first opened, and then it is there
    await dashboard.choosePage("Settings");
    await dashboard.dialog("Settings").getByText("Theme").waitFor();
    await page.keyboard.press("Escape");
    await dashboard.dialog("Settings").waitFor({ state: "detached" });
    await app.service.logOutEverywhere();
    await dashboard.poll();
    const again = page.getByRole("status").getByRole("link", { name: "Log in again" });
    await again.waitFor();
    await same(() => again.getAttribute("href"), "/login?next=%2F");
    await dashboard.screenshot("logged-out-desktop");
    await dashboard.action("Clock", "Start").click();
    await page.getByRole("alert").getByText("You are no longer logged in.").waitFor();
    await dashboard.choosePage("Settings");
    const inDialog = dashboard.dialog("Settings").getByRole("link", { name: "Log in again" });
    const [tab] = await Promise.all([page.context().waitForEvent("page"), inDialog.click()]);
    await fill(tab, "correct horse");
    await tab.waitForURL(`${url}/`);
    await dashboard.poll();
    await inDialog.waitFor({ state: "detached" });
  },
);

loggedInTest("a thumbnail that is missing says to log in", async (ui) => {
  const { page, dashboard, app } = ui;
  await page.route("**/thumb?*", (route) => route.fulfill({ status: 401 }));
  await dashboard.open();
  await app.service.logOutEverywhere();
  await dashboard.poll();
  await dashboard.card("Sales").getByText("Log in again to see the picture").waitFor();
}, { ...OPTIONS, streams: [{ name: "Sales", desiredState: "running" }] });

for (const which of ["minimal", "tv", "framed"] as const) {
  inSoak(playerTest)(
    `${which}: says when the session has ended, and OK leads to the login and back`,
    async (ui) => {
      const { page, app, url } = ui;
      await giveSession(ui, page.context());
      await page.clock.install();
      const player = new PlayerPage(page, url);
      await player.open(which, STREAM);
      await player.untilPlaying();
      const media = player.requests.filter((one) => /\.(m3u8|ts)$/.test(one));
      assert.ok(media.every((one) => one.startsWith(`${url}/api/hls/`)), media.join());
      await app.service.logOutEverywhere();
      await until("the message", async () => {
        await page.clock.runFor(500);
        return /You are logged out\. Log in again/.test(await player.message());
      });
      await player.screenshot(`player-${which}-logged-out`);
      const { pathname } = new URL(page.url());
      await page.keyboard.press("Enter");
      await page.waitForURL(`${url}/login?next=${encodeURIComponent(pathname)}`);
      await fill(page, "correct horse");
      await page.waitForURL(url + pathname);
      await player.find();
      await player.untilPlaying();
    },
    { env: LOGIN, mayLog: FAILED_REQUESTS },
  );
}

for (const path of ["/api/player-html/clock", "/static/clock"]) {
  loggedInTest(`${path} renews the session once a day`, async ({ page, url }) => {
    await page.clock.install();
    await page.goto(url + path);
    const answer = page.waitForResponse((one) => one.request().method() === "HEAD");
    await page.clock.fastForward("24:00:00");
    assert.match((await (await answer).headerValue("set-cookie")) ?? "", /Max-Age=2592000/);
  }, { ...OPTIONS, mayLog: FAILED_REQUESTS });
}

uiTest("without a login, the board says calmly who can use it", async ({ page, dashboard, layoutShift }) => {
  await dashboard.open();
  await page.getByText("There is no login: everyone who can reach this address can use this page.").waitFor();
  await dashboard.screenshot("no-login-desktop");
  assert.equal(await layoutShift(), 0);
  await same(() => page.getByRole("banner").getByText(/Log out|Password/).count(), 0);
}, { streams: [{ name: "Clock" }] });
