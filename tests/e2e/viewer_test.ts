/**
 * A person before real programs: logs in, adds a page, watches it, and takes its browser over. What the pages do by
 * themselves is in tests/pages.
 */
import { strict as assert } from "node:assert";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { launchShell, openPage } from "../support/browser.ts";
import { DashboardPage } from "../support/dashboard_page.ts";
import { FormPage } from "../support/form_page.ts";
import { isColour } from "../support/media.ts";
import { type Player, PlayerPage } from "../support/player_page.ts";
import { RemoteBrowser } from "../support/remote_browser.ts";
import { same, until } from "../support/same.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { AFTER_CLICK, BEFORE_CLICK, REMOTE, type Remote, remoteOf, VncPage } from "../support/vnc_page.ts";

const LOGIN = { AUTH_USER: "anna", AUTH_PASS: "correct horse" };
const serviceTest = sharedService({ timings: { statusCacheMs: 500, thumbnailRetryMs: 1000 }, env: LOGIN });

let browser: Browser;
Deno.test.beforeAll(async () => {
  browser = await launchShell();
});
Deno.test.afterAll(() => browser.close());

interface Viewer {
  service: TestService;
  page: Page;
}

/** Console errors that tests provoke: of requests that nobody answered. */
const UNANSWERED = /ERR_CONNECTION|Failed to load resource|WebSocket connection/;

/** The cookies of the person, who logs in by the form once. */
let session: BrowserContextOptions["storageState"];

async function logIn({ service, page }: Viewer): Promise<void> {
  await page.goto(service.url);
  await page.getByLabel("User name").fill(LOGIN.AUTH_USER);
  await page.getByLabel("Password").fill(LOGIN.AUTH_PASS);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.locator("main[data-ready=true]").waitFor();
  session = await page.context().storageState();
}

/** A test of a person who is logged in. */
function viewerTest(
  name: string,
  test: (viewer: Viewer) => Promise<void>,
  { context, mayLog }: { context?: BrowserContextOptions; mayLog?: RegExp } = {},
): void {
  serviceTest(name, async (service) => {
    const { page, errors } = await openPage(browser, { ...context, storageState: session });
    try {
      page.setDefaultTimeout(60_000);
      if (!session) await logIn({ service, page });
      await test({ service, page });
      assert.deepEqual(errors.filter((error) => !mayLog?.test(error)), [], "errors in the console");
    } finally {
      await page.context().close();
    }
  });
}

/** The board, which is there after the login. */
async function boardOf({ service, page }: Viewer): Promise<DashboardPage> {
  const board = new DashboardPage(page, service.url);
  if (!page.url().startsWith(service.url)) await board.open();
  return board;
}

/** Waits until an image or a video has the page's colour where nothing else is. */
async function untilShowsPage(picture: Locator): Promise<void> {
  const colour = () =>
    picture.evaluate((it) => {
      const canvas = new OffscreenCanvas(64, 36).getContext("2d")!;
      canvas.drawImage(it as HTMLImageElement | HTMLVideoElement, 0, 0, 64, 36);
      return [...canvas.getImageData(55, 30, 1, 1).data.slice(0, 3)];
    });
  await until("the page's colour", async () => isColour(await colour(), BEFORE_CLICK));
}

const NAME = "Remote", ID = "remote";

/** The stream of all these tests, which the form adds for the first of them; its page as it is by itself. */
async function streamByForm(viewer: Viewer): Promise<Remote> {
  const { service, page } = viewer;
  if ((await service.api("GET", `/api/streams/${ID}`)).status === 404) {
    const form = new FormPage(page, await boardOf(viewer));
    await form.add();
    await form.field("Name").fill(NAME);
    await form.field("Page address").fill(`${service.pageUrl}remote.html`);
    await form.dialog.getByRole("radio", { name: /^Dashboard/ }).check();
    await form.button("Add stream").click();
    await form.gone();
  }
  await service.untilState(ID, "running");
  const remote = remoteOf(service, ID);
  await until("a fresh remote page", async () => {
    return (await service.api("POST", `/api/streams/${ID}/home`)).ok && (await remote.seen())?.text === "";
  });
  return remote;
}

viewerTest("a page that is added by the form runs, and its card shows it", async (viewer) => {
  await streamByForm(viewer);
  const board = await boardOf(viewer);
  await board.untilState(NAME, "running");
  await untilShowsPage(board.thumbnail(NAME));
});

for (const player of ["minimal", "tv"] satisfies Player[]) {
  viewerTest(`the ${player} player plays a channel`, async (viewer) => {
    await streamByForm(viewer);
    const playerPage = new PlayerPage(viewer.page, viewer.service.url);
    await playerPage.open(player, ID);
    await playerPage.untilPlaying();
    await untilShowsPage(playerPage.frame.locator("video"));
  }, { mayLog: UNANSWERED });
}

interface Takeover extends Viewer {
  vnc: VncPage;
  id: string;
  remote: Remote;
}

/** A test in the stream's VNC page, which is connected to the fresh remote page. */
function takeoverTest(
  name: string,
  test: (takeover: Takeover) => Promise<void>,
  permissions?: string[],
): void {
  viewerTest(name, async (viewer) => {
    const { service, page } = viewer;
    const remote = await streamByForm(viewer);
    const vnc = new VncPage(page, remote);
    await page.addInitScript((key) => localStorage.setItem(key, '{"openNewTab":false}'), `card-prefs-${ID}`);
    const board = await boardOf(viewer);
    await board.action(NAME, "VNC").click();
    await vnc.untilPhase("connected");
    await vnc.untilColour(BEFORE_CLICK);
    await test({ service, page, vnc, id: ID, remote });
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

takeoverTest(
  "a long text of three bytes a character arrives whole, and one that is too long holds up no key",
  async ({ service, page, vnc, id }) => {
    const there = new RemoteBrowser(service, id);
    const length = () => there.evaluate<number>(`document.querySelector("input").value.length`);
    await vnc.focusField();
    await page.evaluate((text) => navigator.clipboard.writeText(text), "漢字仮名".repeat(50_000));
    await page.keyboard.press("Control+v");
    await same(length, 200_000);
    await page.keyboard.type("k");
    await same(length, 200_001);
    await page.evaluate((text) => navigator.clipboard.writeText(text), "漢字仮名".repeat(100_000));
    await page.keyboard.press("Control+v");
    await page.getByRole("alert").filter({ hasText: "This text takes 1.15 MiB" }).waitFor();
    await page.keyboard.type("k");
    await same(length, 200_002);
  },
  ["clipboard-read", "clipboard-write"],
);
