/** The page of a stream's past: its moment, the bar, keys, the film, and what is said where nothing is kept. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { runBytes } from "../../lib/machine/os/process.ts";
import type { TestApp } from "../support/app.ts";
import { assertBothAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { Finger } from "../support/finger.ts";
import type { PastPiece } from "../support/past.ts";
import { takePicture } from "../support/pictures.ts";
import { recordDashboard } from "../support/recorded_dashboard.ts";
import { keepPast, RewindPage, seconds } from "../support/rewind_page.ts";
import { same, until } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";
import { type UiOptions, type UiTest, uiTest } from "../support/ui.ts";

const TV = "Mozilla/5.0 (SMART-TV; Tizen 6.0)";
const OPTIONS: UiOptions = { streams: [{ name: "Clock" }], mayLog: /404/ };

/** A picture each 10 s for 10 minutes, then each second for one; a visit of 9 minutes; then one that stays. */
const history = (begin: number, now: number): PastPiece[] => [
  { number: 1, seconds: seconds(begin, begin + 600, 10), end: begin + 600 },
  { number: 2, seconds: seconds(begin + 600, begin + 660), reason: "visit" },
  { number: 3, seconds: [begin + 1200, begin + 1260], end: now + 3600 },
];

/** A past that begins some two hours ago, at a whole minute. @returns its beginning, as Unix time in s. */
async function keepHistory(app: TestApp): Promise<number> {
  const now = Math.floor(app.machine.now() / 1000);
  const begin = Math.floor(now / 60) * 60 - 7200;
  await keepPast(app, history(begin, now));
  return begin;
}

function rewindTest(
  name: string,
  test: (rewind: RewindPage, begin: number, ui: UiTest) => Promise<void>,
  options: UiOptions = OPTIONS,
): void {
  uiTest(name, async (ui) => {
    const begin = await keepHistory(ui.app);
    await test(new RewindPage(ui.page, ui.url), begin, ui);
  }, options);
}

rewindTest(
  "an address opens its moment: the exact picture, in words, and nothing jumps",
  async (rewind, begin, ui) => {
    const { page } = rewind;
    await rewind.open(begin + 605);
    await same(() => rewind.second(), begin + 605);
    await rewind.words.getByText(/hours? ago|minutes ago/).waitFor();
    await page.getByText("The picture changed at this second.").waitFor();
    await page.getByText(/^The past goes back to (today|yesterday) \d\d:\d\d\.$/).waitFor();
    await same(() => rewind.bar.getAttribute("aria-valuetext"), /20\d\d, \d\d:\d\d:05, /);
    await same(ui.layoutShift, 0);
    await rewind.open(begin + 599);
    await same(() => rewind.second(), begin + 590);
    await page.getByText(/^Unchanged since \d\d:\d\d:50, for 9 seconds\.$/).waitFor();
  },
);

rewindTest(
  "a drag shows small pictures without a request for each; its end is exact, and can be shared",
  async (rewind, begin) => {
    const { page } = rewind;
    const sheet = page.waitForResponse((answer) => answer.url().includes("small.jpg?") && answer.ok());
    await rewind.open(begin + 300);
    await (await sheet).finished();
    await same(() => rewind.second(), begin + 300);
    const window = { start: begin + 300 - 1800, end: begin + 300 + 1800 };
    const from = await rewind.placeOf(begin + 300, window);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    const asked: string[] = [];
    const note = (request: { url(): string }) =>
      /picture|small|m3u8/.test(request.url()) && asked.push(request.url());
    page.on("request", note);
    const shown = new Set<number>();
    for (let time = begin + 300; time >= begin + 20; time -= 10) {
      const { x, y } = await rewind.placeOf(time, window);
      await page.mouse.move(x, y);
      const second = await rewind.second("canvas");
      assert.ok(
        second !== null && Math.abs(second - await rewind.value()) <= 36,
        `${second} at ${time - begin}`,
      );
      shown.add(second);
    }
    assert.ok(shown.size >= 10, `${shown.size} pictures`);
    assert.deepEqual(asked, []);
    const { x, y } = await rewind.placeOf(begin + 47, window);
    await page.mouse.move(x, y);
    await page.mouse.up();
    await same(() => rewind.second(), begin + 40);
    await same(() => rewind.second("canvas"), null);
    assert.ok(/^\S+picture\.jpg\?at=\d+$/.test(asked.join(" ")), asked.join());
    const at = await rewind.value();
    assert.ok(at >= begin + 44 && at < begin + 50);
    await same(() => rewind.at(), at);
  },
);

rewindTest(
  "keys go from change to change, by minutes, to the newest and back, and to another zoom",
  async (rewind, begin, { url }) => {
    const { page } = rewind;
    const press = (key: string) => page.keyboard.press(key);
    await page.goto(`${url}/streams/clock`);
    await rewind.open(begin + 605);
    await page.getByText(/goes back to/).waitFor();
    await press("ArrowLeft");
    await same(() => rewind.second(), begin + 604);
    for (let times = 0; times < 4; times++) await press("ArrowLeft");
    await same(() => rewind.second(), begin + 590);
    await press("ArrowRight");
    await same(() => rewind.second(), begin + 601, "a new piece is no change");
    await press("Shift+ArrowLeft");
    await same(() => rewind.second(), begin + 540);
    await same(() => rewind.value(), begin + 541);
    await press("Home");
    await same(() => page.getByRole("button", { name: "Live" }).getAttribute("aria-pressed"), "true");
    await same(() => rewind.second(), begin + 1260);
    await same(() => rewind.at(), null);
    await press("ArrowLeft");
    await same(() => rewind.second(), begin + 1200);
    await press("ArrowRight");
    await same(() => rewind.second(), begin + 1260);
    await press("-");
    await same(() => page.getByRole("button", { name: "24 h" }).getAttribute("aria-pressed"), "true");
    await press("+");
    await press("+");
    await same(() => page.getByRole("button", { name: "5 min" }).getAttribute("aria-pressed"), "true");
    await same(() => rewind.at(), begin + 1260);
    await page.goBack();
    await same(() => page.url(), `${url}/streams/clock`);
  },
);

rewindTest("a television's remote reaches every control, and OK plays", async (rewind, begin) => {
  const { page } = rewind;
  await rewind.open(begin + 605);
  await page.evaluate(() => void (document.documentElement.dataset.tv = ""));
  const names = new Set<string>();
  for (let times = 0; times < 30; times++) {
    await page.keyboard.press("ArrowDown");
    names.add(
      await page.evaluate(() =>
        document.activeElement!.ariaLabel ?? document.activeElement!.textContent!.trim()
      ),
    );
  }
  for (
    const name of [
      "Moment",
      "Previous change",
      "Play",
      "10×",
      "24 h",
      "Live",
      "What changed",
      "Copy link",
      "Export",
      "Changes",
    ]
  ) {
    assert.ok(names.has(name), `${name} of ${[...names]}`);
  }
  await rewind.bar.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Pause" }).waitFor();
});

rewindTest(
  "where nothing is kept the page says why, and how far the past reaches, and leads there",
  async (rewind, begin) => {
    const { page } = rewind;
    await rewind.open(begin + 900);
    await page.getByText("Not kept: somebody used the browser by VNC.").waitFor();
    await page.getByRole("button", { name: /^First one after/ }).click();
    await same(() => rewind.second(), begin + 1200);
    await rewind.open(begin - 4000);
    await page.getByText(/^Nothing is kept of this time: the past goes back to/).waitFor();
    await page.getByRole("button", { name: /^First one after/ }).click();
    await same(() => rewind.second(), begin);
    await rewind.open(begin + 86_400);
    await page.getByText("This moment is yet to come.").waitFor();
    // on the bar, too
    await rewind.open(begin + 1200);
    const { x, y } = await rewind.placeOf(begin + 900, {
      start: begin + 1200 - 1800,
      end: begin + 1200 + 1800,
    });
    await same(() => page.locator(".rewind-track text", { hasText: "VNC" }).count(), 1);
    await page.mouse.move(x, y);
    await page.locator(".rewind-tip", { hasText: "Not kept: somebody used the browser by VNC." }).waitFor();
  },
);

rewindTest(
  "the film shows the second that is told, and a pause shows that second's picture",
  async (rewind, begin) => {
    const { page } = rewind;
    await rewind.open(begin + 602);
    await page.getByText(/goes back to/).waitFor();
    await same(() => page.locator("script[src*=hls]").count(), 0, "loaded before anybody plays");
    await page.keyboard.press("Space");
    await until("the film to go on", async () => await rewind.value() >= begin + 604);
    for (let looks = 0; looks < 3; looks++) {
      const [told, seen] = [await rewind.value(), (await rewind.second("video"))!];
      assert.ok(Math.abs(told - seen) <= 1, `${told - begin} is told, ${seen - begin} seen`);
    }
    await page.getByRole("button", { name: "Pause" }).click();
    await same(() => rewind.second("video"), null);
    const stood = await rewind.value();
    await same(() => rewind.second(), stood);
    await same(() => rewind.at(), stood);
    await rewind.open(begin + 2);
    await page.keyboard.press("Space");
    for (const [name, speed] of [["10×", 10], ["60×", 60]] as const) {
      await page.getByRole("button", { name }).click();
      const from = await rewind.value();
      await until(`${speed} times the speed`, async () => await rewind.value() >= from + 2 * speed);
      const [told, seen] = [await rewind.value(), (await rewind.second("video"))!];
      // a second of the film, and pictures each 10 s
      assert.ok(told >= seen && told - seen <= speed + 10, `${told - begin} is told, ${seen - begin} seen`);
    }
    await page.keyboard.press("Home");
    await rewind.bar.press("Space");
    await page.getByText("This is live: go back first, then play from there.").waitFor();
  },
);

rewindTest("what changed is framed and told, and the second before is shown", async (rewind, begin) => {
  const { page } = rewind;
  await rewind.open(begin + 605);
  await page.getByText("The picture changed at this second.").waitFor();
  await page.getByRole("button", { name: "What changed" }).click();
  await page.getByText("4 % of the picture changed, top left.").waitFor();
  await same(() => page.locator(".rewind-frames").count(), 1);
  await page.getByRole("button", { name: "Before" }).click();
  await same(() => rewind.second(), begin + 604);
  await page.getByRole("button", { name: "Before" }).click();
  await same(() => rewind.second(), begin + 605);
  const saved = page.getByRole("link", { name: "Save picture" });
  const name = new Date((begin + 605) * 1000).toISOString().slice(0, 19).replaceAll(":", "-");
  await same(() => saved.getAttribute("download"), `clock-${name}.jpg`);
});

rewindTest("changes are a list, too, and each leads to its moment", async (rewind, begin, { app }) => {
  const { page } = rewind;
  const now = app.machine.now();
  app.machine.advance((begin + 630) * 1000 - now);
  app.service.events.add(streamId("clock"), "page", "The page's server does not answer.", "error");
  app.machine.advance(now - app.machine.now());
  await rewind.open(begin + 640);
  await page.keyboard.press("+");
  await page.getByText("Changes", { exact: true }).click();
  await page.getByRole("button", { name: /:30 4 %, top left\. Page: The page's server does not answer\.$/ })
    .click();
  await same(() => rewind.second(), begin + 630);
  const sign = page.getByRole("group", { name: "Events" }).getByRole("button");
  await sign.focus();
  await page.locator(".rewind-tip", { hasText: "The page's server does not answer." }).waitFor();
});

rewindTest("a finger scrubs on a phone", async (rewind, begin) => {
  const { page } = rewind;
  const sheet = page.waitForResponse((answer) => answer.url().includes("small.jpg?") && answer.ok());
  await rewind.open(begin + 300);
  await (await sheet).finished();
  const window = { start: begin + 300 - 1800, end: begin + 300 + 1800 };
  const [from, to] = [await rewind.placeOf(begin + 300, window), await rewind.placeOf(begin + 100, window)];
  const finger = await Finger.on(page);
  await finger.down(from.x, from.y);
  await finger.move(to.x, to.y, 10);
  await same(async () => Math.abs((await rewind.second("canvas") ?? 0) - begin - 100) <= 36, true);
  await finger.up();
  const at = await rewind.value();
  assert.ok(Math.abs(at - begin - 100) <= 15, `${at - begin}`);
  await same(() => rewind.second(), Math.floor(at / 10) * 10);
}, { ...OPTIONS, context: { viewport: SIZES.phone, hasTouch: true, isMobile: true } });

rewindTest("everyone can use it, at any width, in both themes", async (rewind, begin, { dashboard }) => {
  const { page } = rewind;
  for (const at of [begin + 605, begin + 900]) {
    await rewind.open(at);
    await page.getByText(/goes back to/).waitFor();
    if (at === begin + 605) await page.getByRole("button", { name: "What changed" }).click();
    await page.getByText("Changes", { exact: true }).click();
    await assertBothAccessible(page, "the page of the past");
    for (const width of [320, 390, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await same(() => dashboard.overflow(), 0, `${width} px`);
      await same(() => cutTexts(rewind), [], `${width} px`);
    }
  }
});

/** Texts that are wider than their box. */
function cutTexts({ page }: RewindPage): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("main :is(p, span, button, a, strong, li, h1)")]
      .filter((it) => it.clientWidth > 1 && it.scrollWidth > it.clientWidth + 1)
      .map((it) => it.outerHTML.slice(0, 120))
  );
}

uiTest("a stream without a past says so, and why", async ({ page, url, app }) => {
  await page.goto(`${url}/streams/clock/rewind`);
  await page.getByText("Nothing is kept yet.").waitFor();
  await app.api("PATCH", "/api/streams/clock", { rewind: false });
  await page.reload();
  await page.getByText("This stream's past is not kept.").waitFor();
  await page.getByRole("link", { name: "Change that in its settings" }).click();
  await page.getByRole("dialog", { name: "Edit “Clock”" }).waitFor();
}, OPTIONS);

uiTest("a service that keeps no past says so", async ({ page, url }) => {
  await page.goto(`${url}/streams/clock/rewind`);
  await page.getByText("This service keeps no past: its variable REWIND_GB is 0.").waitFor();
}, { ...OPTIONS, env: { REWIND_GB: "0" } });

rewindTest(
  "a stream's page leads to its past: by a link, and each slot of its day",
  async (rewind, begin, { url }) => {
    const { page } = rewind;
    await page.goto(`${url}/streams/clock`);
    await page.locator("main[data-ready=true]").waitFor();
    const link = page.getByRole("link", { name: "Rewind", exact: true });
    await same(() => link.getAttribute("href"), "/streams/clock/rewind");
    const day = page.getByRole("link", { name: /^Last 24 hours/ });
    const { x, y, width, height } = (await day.boundingBox())!;
    await page.mouse.click(x + width * (1 - 1.6 / 24), y + height / 2);
    await page.locator("main.rewind[data-ready=true]").waitFor();
    const at = rewind.at()!;
    assert.ok(at % 900 === 0 && Math.abs(at - (begin + 7200 - 1.6 * 3600)) < 1800, `${at - begin}`);
  },
);

inSoak(uiTest)(
  "the page of a dashboard's past, for people to look at",
  async ({ app, url, browser, open }) => {
    const now = Math.floor(app.machine.now() / 1000);
    await recordDashboard(app, browser, now, "line-3");
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
        const rewind = new RewindPage(page, url);
        const sheet = page.waitForResponse((answer) => answer.url().includes("step=600"));
        await rewind.open(now - 4 * 3600, "line-3");
        await takePicture(page, `rewind-hour-${size}-${colorScheme}`);
        await page.getByRole("button", { name: "24 h" }).click();
        await (await sheet).finished();
        await page.getByRole("button", { name: "What changed" }).click();
        const { x, y, width } = (await rewind.bar.boundingBox())!;
        await page.mouse.move(x + width * 0.6, y + 20);
        await same(() => page.locator(".rewind-tip canvas:not([hidden])").count(), 1);
        await takePicture(page, `rewind-day-${size}-${colorScheme}`);
        await page.context().close();
      }
    }
  },
  { streams: [{ name: "Line 3", desiredState: "running" }] },
);
