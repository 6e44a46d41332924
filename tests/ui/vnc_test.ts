import { strict as assert } from "node:assert";
import type { Browser } from "playwright-core";
import { pause, startService, type TestService, until } from "../support/service.ts";
import { assertAccessible } from "../support/axe.ts";
import { launchBrowser, openPage, SIZES, type WatchedPage } from "../support/browser.ts";
import { DashboardPage } from "../support/dashboard_page.ts";
import { AFTER_CLICK, BEFORE_CLICK, REMOTE, VncPage } from "../support/vnc_page.ts";

interface Desk {
  service: TestService;
  browser: Browser;
  watched: WatchedPage;
  vnc: VncPage;
  /** Every address the viewer's browser asked for, with the Referer it sent. */
  asked: { url: string; referer?: string }[];
}

Deno.test({
  name: "taking over a stream's browser by VNC",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService();
    const browser = await launchBrowser();
    try {
      await service.create({ name: "Remote", url: `${service.pageUrl}remote.html` });
      const watched = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"] });
      watched.page.setDefaultTimeout(30_000);
      const asked: Desk["asked"] = [];
      watched.page.on("request", async (request) => {
        asked.push({
          url: request.url(),
          referer: (await request.allHeaders().catch(() => ({})) as Record<string, string>).referer,
        });
      });
      const desk = { service, browser, watched, vnc: new VncPage(watched.page, service), asked };
      const step = async (name: string, run: (desk: Desk) => Promise<void>) =>
        assert.ok(await t.step(name, () => run(desk)), name);

      await step("a click on a card's VNC leads into the page that is streamed", fromCard);
      await step("the frame's address is relative and made in the browser", address);
      await step("keys and clicks arrive", input);
      await step("the bar hides after 5 s; movement, keys and touch bring it back", hiding);
      await step("F6 leads from the remote page to the controls and back", keyboard);
      await step("view only touches nothing, and is remembered", viewOnly);
      await step("what is copied there is here; Ctrl+V there pastes what was copied here", clipboard);
      await step("it fits every size, in both themes, and has no accessibility problem", sizes);
      await step("a phone's keyboard types", phone);
      await step("it is back by itself after restarts of the stream and of the web app", restarts);
      await step("a stopped stream says so and can be started", stopped);
      await step("nothing of it was refused by the content policy, no token went anywhere", secrets);
      await step("a deleted stream is told, an unknown one is a missing page", gone);
    } finally {
      await browser.close();
      await service.stop();
    }
  },
});

async function fromCard({ service, vnc, watched }: Desk) {
  const { page } = watched;
  await page.goto(service.url);
  await page.evaluate(() => localStorage.setItem("card-prefs-remote", JSON.stringify({ openNewTab: false })));
  const board = new DashboardPage(page, service.url);
  await board.open();
  await board.action("Remote", "VNC").click();
  await page.waitForURL(/\/vnc\/remote$/);
  await vnc.untilPhase("connected");
  await vnc.untilColour(BEFORE_CLICK);
  assert.equal(await page.title(), "Remote, remote · Browser Stream");
  await vnc.shot("desktop");
}

async function address({ service, vnc, watched }: Desk) {
  const html = await (await fetch(`${service.url}/vnc/remote`)).text();
  const { token } = await (await fetch(`${service.url}/api/streams/remote/vnc`)).json();
  assert.match(token, /^[0-9a-f]{32}$/);
  assert.doesNotMatch(html, /<iframe|client\.html|token/);
  assert.ok(!html.includes(token));
  assert.equal(await watched.page.locator("iframe").getAttribute("src"), "../api/webvnc/client.html");
  // the picture fits the window and keeps its shape
  const box = (await vnc.canvas.boundingBox())!;
  assert.ok(Math.abs(box.width - SIZES.desktop.width) < 2, `${box.width}`);
  assert.ok(Math.abs(box.width / box.height - 16 / 9) < 0.01);
}

async function input({ vnc, watched }: Desk) {
  await vnc.clickAt(REMOTE.field);
  await watched.page.keyboard.type("Hi, ops-7 @%");
  await vnc.untilText("Hi, ops-7 @%");
  await watched.page.keyboard.press("Backspace");
  await vnc.untilText("Hi, ops-7 @");
  await vnc.clickAt(REMOTE.button);
  await vnc.untilColour(AFTER_CLICK);
  assert.equal((await vnc.remote())?.clicks, 1);
  const home = watched.page.waitForRequest((request) => request.method() === "POST");
  await watched.page.route("**/api/streams/remote/home", (route) => route.fulfill({ json: {} }));
  await vnc.wake();
  await vnc.tool("Home").click();
  assert.match((await home).url(), /\/api\/streams\/remote\/home$/);
}

async function hiding({ vnc, watched }: Desk) {
  const { page } = watched;
  const signs: [string, () => Promise<unknown>][] = [
    ["movement over the remote page", () => page.mouse.move(700, 500)],
    ["a key", () => page.keyboard.press("Shift")],
    [
      "a touch of the remote page",
      () =>
        page.frames()[1].evaluate(() =>
          document.querySelector("canvas")!.dispatchEvent(new TouchEvent("touchstart", { bubbles: true }))
        ),
    ],
    [
      "a touch of the page around",
      () => page.evaluate(() => document.body.dispatchEvent(new TouchEvent("touchstart", { bubbles: true }))),
    ],
  ];
  for (const [sign, give] of signs) {
    await vnc.back.waitFor({ state: "hidden", timeout: 15_000 });
    const before = Date.now();
    await give();
    await vnc.back.waitFor();
    await pause(Math.max(0, 3500 - (Date.now() - before)));
    assert.ok(await vnc.back.isVisible(), `the bar stays a while after ${sign}`);
  }
}

async function keyboard({ vnc, watched }: Desk) {
  const { page } = watched;
  const focused = () =>
    page.evaluate(() => document.activeElement?.textContent || document.activeElement?.tagName);
  await vnc.clickAt(REMOTE.field);
  await page.keyboard.press("F6");
  assert.equal(await focused(), "Back");
  await pause(7000);
  assert.ok(await vnc.back.isVisible(), "what has the focus does not hide");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "View only");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "IFRAME");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("by keyboard");
  await vnc.untilText("by keyboard");
}

async function viewOnly({ vnc, watched }: Desk) {
  const { page } = watched;
  const toggle = vnc.tool("View only");
  await vnc.wake();
  await toggle.click();
  assert.equal(await toggle.getAttribute("aria-pressed"), "true");
  await page.getByText("View only", { exact: true }).first().waitFor();
  const { clicks } = (await vnc.remote())!;
  await vnc.clickAt(REMOTE.button);
  await page.keyboard.type("never");
  await page.reload();
  await vnc.untilPhase("connected");
  await vnc.untilColour(AFTER_CLICK);
  assert.equal(await toggle.getAttribute("aria-pressed"), "true");
  await vnc.clickAt(REMOTE.button);
  await vnc.clickAt(REMOTE.field);
  await page.keyboard.type("never");
  await pause(1500);
  assert.deepEqual(await vnc.remote(), { text: "by keyboard", clicks });
  await vnc.wake();
  await toggle.click();
  assert.equal(await toggle.getAttribute("aria-pressed"), "false");
  await vnc.clickAt(REMOTE.field);
  await page.keyboard.press("End");
  await page.keyboard.type("!");
  await vnc.untilText("by keyboard!");
}

async function clipboard({ vnc, watched }: Desk) {
  const { page } = watched;
  const local = () => page.evaluate(() => navigator.clipboard.readText());
  await vnc.clickAt(REMOTE.field);
  await page.keyboard.press("Control+a");
  await page.keyboard.type("remote text");
  await vnc.untilText("remote text");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");
  await until("the copied text", 20_000, async () => await local() === "remote text");

  // selecting a text there is no copying
  await page.evaluate(() => navigator.clipboard.writeText("here ünd now ✓"));
  await vnc.clickAt(REMOTE.field);
  await page.keyboard.press("Control+a");
  await pause(500);
  assert.equal(await local(), "here ünd now ✓");
  await page.keyboard.press("Control+v");
  await vnc.untilText("here ünd now ✓");
  // Ctrl is up again
  await page.keyboard.type("v");
  await vnc.untilText("here ünd now ✓v");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");
  await until("the copied text", 20_000, async () => await local() === "here ünd now ✓v");
  await page.keyboard.press("End");

  await vnc.wake();
  await vnc.tool("Clipboard").click();
  const field = page.getByLabel("Text of the clipboard");
  assert.equal(await field.inputValue(), "here ünd now ✓v");
  await assertAccessible(page, "the clipboard");
  await vnc.shot("clipboard-desktop");
  await field.fill("from the panel");
  await page.getByRole("button", { name: "Paste there" }).click();
  await field.waitFor({ state: "detached" });
  await vnc.untilText("here ünd now ✓vfrom the panel");
}

async function sizes({ vnc, watched }: Desk) {
  const { page, errors } = watched;
  for (const theme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport);
      await page.mouse.move(viewport.width / 2, viewport.height / 2);
      await vnc.back.waitFor();
      await until(`the picture to fit ${size}`, 5000, async () => {
        const box = await vnc.canvas.boundingBox();
        return box && box.width <= viewport.width && box.height <= viewport.height &&
          (Math.abs(box.width - viewport.width) < 2 || Math.abs(box.height - viewport.height) < 2);
      });
      const bar = (await page.locator(".vnc-tools").boundingBox())!;
      assert.ok(bar.x >= 0 && bar.x + bar.width <= viewport.width, `the bar fits ${size}`);
      assert.ok(await isTitleWhole(page), `the state can be read on ${size}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.ok(!overflow, `it scrolls sideways on ${size}`);
      await assertAccessible(page, `the VNC page, ${size}, ${theme}`);
      await vnc.shot(`${size}-${theme}`);
    }
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(SIZES.desktop);
  await vnc.wake();
  await vnc.tool("Move this bar down").click();
  assert.ok((await page.locator(".vnc-tools").boundingBox())!.y > SIZES.desktop.height / 2);
  await vnc.wake();
  await vnc.tool("Move this bar up").click();
  assert.equal(await watched.layoutShift(), 0);
  assert.deepEqual(errors, []);
}

/** Whether the state's word fits, and ends before the controls begin. */
function isTitleWhole(page: WatchedPage["page"]): Promise<boolean> {
  return page.locator(".vnc-title").evaluate((title) => {
    const word = title.querySelector("span")!;
    const control = title.nextElementSibling!.getBoundingClientRect();
    return word.scrollWidth <= word.clientWidth && word.getBoundingClientRect().right <= control.left;
  });
}

async function phone({ service, browser, vnc: desktop }: Desk) {
  const watched = await openPage(browser, { viewport: SIZES.phone, hasTouch: true, isMobile: true });
  const vnc = new VncPage(watched.page, service);
  watched.page.setDefaultTimeout(30_000);
  await watched.page.goto(`${service.url}/vnc/remote`);
  await vnc.untilPhase("connected");
  await vnc.untilColour(AFTER_CLICK);
  await watched.page.touchscreen.tap(...await vnc.pointAt(REMOTE.button));
  await vnc.untilColour(BEFORE_CLICK);
  await watched.page.touchscreen.tap(...await vnc.pointAt(REMOTE.field));
  await vnc.wake();
  await vnc.tool("Keyboard").tap();
  await until(
    "the keyboard to be told as open",
    5000,
    async () => await vnc.tool("Keyboard").getAttribute("aria-pressed") === "true",
  );
  const field = watched.page.getByLabel("Typed into the remote page");
  const before = (await desktop.remote())!.text;
  await field.pressSequentially("Ä1");
  await vnc.untilText(`${before}Ä1`);
  await watched.page.keyboard.press("Backspace");
  await vnc.untilText(`${before}Ä`);
  // an autocorrection replaces what was typed
  await field.evaluate((it: HTMLTextAreaElement) => {
    it.value = it.value.replace("Ä", "Autumn ");
    it.dispatchEvent(new InputEvent("input"));
  });
  await vnc.untilText(`${before}Autumn `);
  // a tap on the remote page keeps the keyboard
  await watched.page.touchscreen.tap(...await vnc.pointAt(REMOTE.field));
  await pause(500);
  assert.equal(await vnc.tool("Keyboard").getAttribute("aria-pressed"), "true");
  assert.ok(await isTitleWhole(watched.page), "the state can be read beside the keyboard's button");
  await vnc.shot("phone-keyboard");
  await vnc.wake();
  await vnc.tool("Clipboard").tap();
  await watched.page.getByLabel("Text of the clipboard").waitFor();
  await assertAccessible(watched.page, "the clipboard on a phone");
  await vnc.shot("phone-clipboard");
  assert.deepEqual(watched.errors, []);
  await watched.page.context().close();
}

async function restarts({ service, vnc, watched }: Desk) {
  assert.equal((await service.api("POST", "/api/streams/remote/restart")).status, 200);
  await vnc.untilPhase("connected");
  await vnc.untilColour(BEFORE_CLICK);
  await until("the page", 30_000, async () => (await vnc.remote())?.text === "");
  await vnc.clickAt(REMOTE.field);
  await watched.page.keyboard.type("again");
  await vnc.untilText("again");

  const [web] = service.processes(/browser-stream(\.js)? serve/);
  Deno.kill(web, "SIGKILL");
  await vnc.page.locator("main:not([data-phase=connected])").waitFor();
  await vnc.shot("offline");
  await vnc.untilPhase("connected");
  await vnc.untilColour(BEFORE_CLICK);
  await watched.page.keyboard.type(" and again");
  await vnc.untilText("again and again");
  watched.errors.splice(0); // the browser tells of requests that nobody answered
}

async function stopped({ service, vnc, watched }: Desk) {
  const { page } = watched;
  await service.api("POST", "/api/streams/remote/stop");
  await vnc.untilPhase("stopped");
  await page.getByRole("heading", { name: "The stream is stopped" }).waitFor();
  await assertAccessible(page, "a stopped stream");
  await vnc.shot("stopped");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await vnc.untilPhase("connected");
  await vnc.untilColour(BEFORE_CLICK);
}

async function secrets({ service, vnc, watched, asked }: Desk) {
  assert.deepEqual(watched.errors, []);
  const { token } = await (await fetch(`${service.url}/api/streams/remote/vnc`)).json();
  assert.equal(vnc.page.url(), `${service.url}/vnc/remote`);
  assert.ok(asked.length > 50);
  for (const { url, referer } of asked) assert.ok(!url.includes(token) && !referer?.includes(token), url);
  assert.ok(!(await vnc.page.evaluate(() => Object.values(localStorage).join())).includes(token));
  assert.ok(!service.output().includes(token));
  const logs = await new Deno.Command("grep", { args: ["-rl", token, service.dataDir] }).output();
  assert.equal(new TextDecoder().decode(logs.stdout), "");
}

async function gone({ service, vnc, watched }: Desk) {
  assert.equal((await service.api("DELETE", "/api/streams/remote")).status, 204);
  await vnc.untilPhase("gone");
  await watched.page.getByRole("link", { name: "Show the streams" }).waitFor();
  const response = await watched.page.goto(`${service.url}/vnc/remote`);
  assert.equal(response!.status(), 404);
  await watched.page.getByRole("heading", { name: "Page not found" }).waitFor();
}
