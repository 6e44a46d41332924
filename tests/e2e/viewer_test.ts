/**
 * A person before real programs: logs in, adds a page, watches it, and takes its browser over. What the pages do by
 * themselves is in tests/pages.
 */
import { strict as assert } from "node:assert";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { launchBrowser, openPage } from "../support/browser.ts";
import { PAGE_COLOUR } from "../support/channel.ts";
import { DashboardPage } from "../support/dashboard_page.ts";
import { FormPage } from "../support/form_page.ts";
import { isColour } from "../support/media.ts";
import { type Player, PlayerPage } from "../support/player_page.ts";
import { same, until } from "../support/same.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { inSoak } from "../support/soak.ts";
import { AFTER_CLICK, BEFORE_CLICK, REMOTE, type Remote, remoteOf, VncPage } from "../support/vnc_page.ts";

const LOGIN = { AUTH_USER: "anna", AUTH_PASS: "correct horse" };
const serviceTest = sharedService({ timings: { statusCacheMs: 500, thumbnailRetryMs: 1000 }, env: LOGIN });

let browser: Browser;
Deno.test.beforeAll(async () => {
  browser = await launchBrowser();
});
Deno.test.afterAll(() => browser.close());

interface Viewer {
  service: TestService;
  page: Page;
}

/** Console errors that tests provoke: of requests that nobody answered. */
const UNANSWERED = /ERR_CONNECTION|Failed to load resource|WebSocket connection/;

/** A test of a person who has just logged in. */
function viewerTest(
  name: string,
  test: (viewer: Viewer) => Promise<void>,
  { context, mayLog }: { context?: BrowserContextOptions; mayLog?: RegExp } = {},
): void {
  serviceTest(name, async (service) => {
    const { page, errors } = await openPage(browser, context);
    try {
      page.setDefaultTimeout(60_000);
      await page.goto(service.url);
      await page.getByLabel("User name").fill(LOGIN.AUTH_USER);
      await page.getByLabel("Password").fill(LOGIN.AUTH_PASS);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.locator("main[data-ready=true]").waitFor();
      await test({ service, page });
      assert.deepEqual(errors.filter((error) => !mayLog?.test(error)), [], "errors in the console");
    } finally {
      await page.context().close();
    }
  });
}

/** Waits until an image or a video has the page's colour where nothing else is. */
async function untilShowsPage(picture: Locator): Promise<void> {
  const colour = () =>
    picture.evaluate((it) => {
      const canvas = new OffscreenCanvas(64, 36).getContext("2d")!;
      canvas.drawImage(it as HTMLImageElement | HTMLVideoElement, 0, 0, 64, 36);
      return [...canvas.getImageData(55, 30, 1, 1).data.slice(0, 3)];
    });
  await until("the page's colour", async () => isColour(await colour(), PAGE_COLOUR));
}

viewerTest("a page that is added by the form runs, and its card shows it", async ({ service, page }) => {
  const board = new DashboardPage(page, service.url);
  const form = new FormPage(page, board);
  await form.add();
  await form.field("Name").fill("Added");
  await form.field("Page address").fill(service.pageUrl);
  await form.dialog.getByRole("radio", { name: /^Dashboard/ }).check();
  await form.button("Add stream").click();
  await form.gone();
  await board.untilState("Added", "running");
  await untilShowsPage(board.thumbnail("Added"));
  assert.equal((await service.api("DELETE", "/api/streams/added")).status, 204);
});

for (const player of ["minimal", "tv"] satisfies Player[]) {
  viewerTest(`the ${player} player plays a channel`, async ({ service, page }) => {
    const { id } = await service.sharedStream({ name: "Clock" });
    const playerPage = new PlayerPage(page, service.url);
    await service.untilState(id, "running");
    await playerPage.open(player, id);
    await playerPage.untilPlaying();
    await untilShowsPage(playerPage.frame.locator("video"));
  }, { mayLog: UNANSWERED });
}

interface Takeover extends Viewer {
  vnc: VncPage;
  id: string;
  remote: Remote;
}

/** A test in the shared stream's VNC page, which is connected to the fresh remote page. */
function takeoverTest(
  name: string,
  test: (takeover: Takeover) => Promise<void>,
  permissions?: string[],
): void {
  viewerTest(name, async ({ service, page }) => {
    const { id } = await service.sharedStream({ name: "Remote", url: `${service.pageUrl}remote.html` });
    const remote = remoteOf(service, id);
    const vnc = new VncPage(page, remote);
    await until("a fresh remote page", async () => {
      return (await service.api("POST", `/api/streams/${id}/home`)).ok && (await remote.seen())?.text === "";
    });
    const board = new DashboardPage(page, service.url);
    await page.evaluate((key) => localStorage.setItem(key, '{"openNewTab":false}'), `card-prefs-${id}`);
    await board.open();
    await board.action("Remote", "VNC").click();
    await vnc.untilPhase("connected");
    await vnc.untilColour(BEFORE_CLICK);
    await test({ service, page, vnc, id, remote });
  }, { context: { permissions }, mayLog: UNANSWERED });
}

takeoverTest("keys and clicks arrive, and Home brings the page back", async ({ page, vnc, remote }) => {
  await vnc.focusField();
  await page.keyboard.type("Hi, ops-7 @%");
  await vnc.untilText("Hi, ops-7 @%");
  await page.keyboard.press("Backspace");
  await vnc.untilText("Hi, ops-7 @");
  await vnc.clickAt(REMOTE.button);
  await vnc.untilColour(AFTER_CLICK);
  assert.equal((await remote.seen())?.clicks, 1);
  await vnc.wake();
  await vnc.tool("Home").click();
  await vnc.untilText("");
  await vnc.shot("desktop");
});

takeoverTest(
  "what is copied there is here, and what is copied here is pasted there",
  async ({ page, vnc }) => {
    const local = () => page.evaluate(() => navigator.clipboard.readText());
    await vnc.focusField();
    await page.keyboard.type("theirs");
    await vnc.untilText("theirs");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+c");
    await same(local, "theirs");
    await page.evaluate(() => navigator.clipboard.writeText("here ünd now ✓"));
    // selecting copies nothing: that would be told before what is pasted is shown
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+v");
    await vnc.untilText("here ünd now ✓");
    assert.equal(await local(), "here ünd now ✓");
  },
  ["clipboard-read", "clipboard-write"],
);

inSoak(takeoverTest)("the token of a takeover is in no log", async ({ service, id }) => {
  const { token } = await (await service.api("GET", `/api/streams/${id}/vnc`)).json();
  assert.ok(!service.output().includes(token));
  const logs = await new Deno.Command("grep", { args: ["-rl", token, service.dataDir] }).output();
  assert.equal(new TextDecoder().decode(logs.stdout), "");
});

inSoak(takeoverTest)(
  "it is back by itself after a restart of the stream, and of the web app",
  async ({ service, page, vnc, id, remote }) => {
    await vnc.clickAt(REMOTE.button);
    await vnc.untilColour(AFTER_CLICK);
    assert.equal((await service.api("POST", `/api/streams/${id}/restart`)).status, 200);
    await vnc.untilColour(BEFORE_CLICK);
    await vnc.untilPhase("connected");
    await until("the page", async () => (await remote.seen())?.text === "");
    const [web] = service.processes(/browser-stream(\.js)? serve/);
    Deno.kill(web, "SIGKILL");
    await page.locator("main:not([data-phase=connected])").waitFor();
    await vnc.untilPhase("connected");
    await vnc.untilColour(BEFORE_CLICK);
    await vnc.focusField();
    await page.keyboard.type("again");
    await vnc.untilText("again");
  },
);
