/** /vnc/{id} in a viewer's browser, before a display that is pretended. */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { assertAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { moveTwoFingers } from "../support/finger.ts";
import { same, until } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";
import { AFTER_CLICK, BEFORE_CLICK, REMOTE } from "../support/vnc_page.ts";
import { CLIPBOARD, openKeyboard, PHONE, readClipboard, vncTest, type VncUi } from "../support/vnc_ui.ts";

inSoak(vncTest)("F6 leads from the remote page to the controls, and Escape back", async ({ page, vnc }) => {
  const focused = () =>
    page.evaluate(() => document.activeElement?.textContent || document.activeElement?.tagName);
  await page.clock.install();
  await page.reload();
  await vnc.untilPhase("connected");
  await vnc.untilColour(BEFORE_CLICK);
  await vnc.focusField();
  await page.keyboard.press("F6");
  await same(focused, "Back");
  await page.clock.fastForward(7000);
  await same(() => vnc.back.isVisible(), true, "what has the focus does not hide");
  await page.keyboard.press("Tab");
  await same(focused, "View only");
  await page.keyboard.press("Escape");
  await same(focused, "IFRAME");
  await page.keyboard.type("by keyboard");
  await vnc.untilText("by keyboard");
});

vncTest("view only touches nothing, and is remembered", async ({ page, vnc, remote }) => {
  const toggle = vnc.tool("View only");
  const touch = async () => {
    await vnc.clickAt(REMOTE.button);
    await vnc.clickAt(REMOTE.field);
    await page.keyboard.type("never");
    await page.keyboard.insertText("niemals, ähm");
  };
  await vnc.wake();
  await toggle.click();
  await same(() => toggle.getAttribute("aria-pressed"), "true");
  await page.getByText("View only", { exact: true }).first().waitFor();
  await touch();
  await page.reload();
  await vnc.untilPhase("connected");
  await vnc.untilColour(BEFORE_CLICK);
  await same(() => toggle.getAttribute("aria-pressed"), "true");
  await touch();
  await vnc.wake();
  await toggle.click();
  await same(() => toggle.getAttribute("aria-pressed"), "false");
  // what was sent before would arrive before
  await vnc.focusField();
  await page.keyboard.type("!");
  await vnc.untilText("!");
  await same(async () => (await remote.seen())!.clicks, 0);
});

/** Types a text into the remote page's field, copies it there, and waits until it is here. */
async function copyThere({ page, vnc }: Pick<VncUi, "page" | "vnc">, text: string): Promise<void> {
  await vnc.focusField();
  await page.keyboard.type(text);
  await vnc.untilText(text);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");
  await same(() => readClipboard(page), text);
}

vncTest("Ctrl+V there pastes what was copied here, and Ctrl is up again", async ({ page, vnc }) => {
  await vnc.focusField();
  await page.keyboard.type("old");
  await vnc.untilText("old");
  await page.evaluate(() => navigator.clipboard.writeText("here ünd now"));
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+v");
  await vnc.untilText("here ünd now");
  await page.keyboard.type("v");
  await vnc.untilText("here ünd nowv");
}, { context: CLIPBOARD });

vncTest("the clipboard panel shows what was copied there, and pastes there", async (ui) => {
  const { page, vnc } = ui;
  await copyThere(ui, "theirs ");
  await page.keyboard.press("End");
  await vnc.wake();
  await vnc.tool("Clipboard").click();
  const field = page.getByLabel("Text of the clipboard");
  await same(() => field.inputValue(), "theirs ");
  await assertAccessible(page, "the clipboard");
  await vnc.shot("clipboard-desktop");
  await field.fill("from the panel");
  await page.getByRole("button", { name: "Send to the page" }).click();
  await field.waitFor({ state: "detached" });
  await vnc.untilText("theirs from the panel");
}, { context: CLIPBOARD });

vncTest("a text that is too long is refused before anything is sent, and the keys go on", async (ui) => {
  const { page, vnc, remote } = ui;
  await copyThere(ui, "theirs");
  await page.keyboard.press("End");
  const tooLong = "漢".repeat(400_000);
  await page.evaluate((text) => navigator.clipboard.writeText(text), tooLong);
  await page.keyboard.press("Control+v");
  const problem = /^This text takes 1\.15 MiB, and 1 MiB can be pasted at once/;
  await page.getByRole("alert").filter({ hasText: problem }).waitFor();
  await vnc.wake();
  await vnc.tool("Clipboard").click();
  const field = page.getByLabel("Text of the clipboard");
  await field.fill(tooLong);
  await same(() => page.getByRole("button", { name: "Send to the page" }).isDisabled(), true);
  await page.locator(".vnc-panel").getByText(problem).waitFor();
  await assertAccessible(page, "a text that is too long");
  await vnc.shot("clipboard-too-long");
  await field.fill(" and ours");
  await page.getByRole("button", { name: "Send to the page" }).click();
  await vnc.untilText("theirs and ours");
  assert.equal(remote.keysyms.filter((keysym) => keysym === 0x76).length, 1, "Ctrl+V of the last text alone");
}, { context: CLIPBOARD });

vncTest("a long text that comes as input, as a phone's paste does, is pasted and not typed", async (ui) => {
  const { page, vnc, remote } = ui;
  await vnc.focusField();
  const text = "line of a log 0123456789 ".repeat(400);
  await page.keyboard.insertText(text);
  await vnc.untilText(text);
  assert.deepEqual(remote.keysyms.filter((keysym) => keysym < 0xff00), [0x76], "Ctrl+V alone");
});

/** Whether the state's word fits, and ends before the controls begin. */
function isTitleWhole(page: Page): Promise<boolean> {
  return page.locator(".vnc-title").evaluate((title) => {
    const word = title.querySelector("span")!;
    const control = title.nextElementSibling!.getBoundingClientRect();
    return word.scrollWidth <= word.clientWidth && word.getBoundingClientRect().right <= control.left;
  });
}

vncTest(
  "it fits a desktop's screen, keeps its shape, and is accessible",
  async ({ page, vnc, layoutShift }) => {
    await page.mouse.move(SIZES.desktop.width / 2, SIZES.desktop.height / 2);
    await vnc.back.waitFor();
    await until("the remote page to fit", async () => {
      const box = await vnc.canvas.boundingBox();
      return box && box.width <= SIZES.desktop.width && box.height <= SIZES.desktop.height &&
        Math.abs(box.width / box.height - 16 / 9) < 0.01 &&
        (Math.abs(box.width - SIZES.desktop.width) < 2 || Math.abs(box.height - SIZES.desktop.height) < 2);
    });
    const bar = (await page.locator(".vnc-tools").boundingBox())!;
    assert.ok(bar.x >= 0 && bar.x + bar.width <= SIZES.desktop.width, "the bar does not fit");
    await same(() => isTitleWhole(page), true, "the state cannot be read");
    await same(
      () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
      false,
      "it scrolls",
    );
    await vnc.back.focus(); // so that the bar stays for as long as axe takes
    await assertAccessible(page, `the VNC page, desktop, dark`);
    await vnc.shot(`desktop-dark`);
    assert.equal(await layoutShift(), 0);
  },
  { context: { viewport: SIZES.desktop, colorScheme: "dark" } },
);

inSoak(vncTest)(
  "two fingers enlarge and move a phone's picture, and a tap hits what is shown",
  async ({ page, vnc, remote }) => {
    const whole = (await vnc.canvas.boundingBox())!;
    const hint = page.getByText("Turn the phone");
    await vnc.wake();
    await hint.waitFor();
    await vnc.shot("phone-hint");
    const [x, y] = await vnc.pointAt(REMOTE.button);
    await moveTwoFingers(page, [[x - 15, y], [x + 15, y]], [[x - 75, y], [x + 75, y]]);
    const box = async () => (await vnc.canvas.boundingBox())!;
    await until("the picture to be larger", async () => (await box()).width > 2.5 * whole.width);
    await hint.waitFor({ state: "detached" });
    const before = await box();
    await moveTwoFingers(page, [[x, y], [x + 50, y]], [[x - 70, y - 20], [x - 20, y - 20]]);
    await until("it to be moved", async () => Math.abs(before.x - (await box()).x - 70) < 3);
    await vnc.shot("phone-zoomed");
    await same(() => remote.seen(), { text: "", clicks: 0 }, "none of it reached the page");
    await page.touchscreen.tap(...await vnc.pointAt(REMOTE.button));
    await vnc.untilColour(AFTER_CLICK);
    await moveTwoFingers(page, [[x - 75, y], [x + 75, y]], [[x - 15, y], [x + 15, y]]);
    await until("the whole picture", async () => Math.abs((await box()).width - whole.width) < 1);
    await hint.waitFor();
  },
  { context: PHONE },
);

vncTest("a phone's keyboard types, erases and corrects", async ({ page, vnc }) => {
  const { field } = await openKeyboard({ page, vnc });
  await field.pressSequentially("Ä1");
  await vnc.untilText("Ä1");
  await page.keyboard.press("Backspace");
  await vnc.untilText("Ä");
  // an autocorrection replaces what was typed
  await field.evaluate((it: HTMLTextAreaElement) => {
    it.value = it.value.replace("Ä", "Autumn ");
    it.dispatchEvent(new InputEvent("input"));
  });
  await vnc.untilText("Autumn ");
}, { context: PHONE });

/** What the browser tells of requests that nobody answered. */
const UNANSWERED = /ERR_CONNECTION|Failed to load resource|WebSocket connection/;

vncTest("a stopped stream says so and can be started", async ({ app, page, vnc, remote }) => {
  await app.api("POST", "/api/streams/remote/stop");
  remote.drop();
  await vnc.untilPhase("stopped");
  await page.getByRole("heading", { name: "The stream is stopped" }).waitFor();
  await assertAccessible(page, "a stopped stream");
  await vnc.shot("stopped");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await vnc.untilPhase("connected");
  await vnc.untilColour(BEFORE_CLICK);
}, { mayLog: UNANSWERED });

vncTest(
  "no token goes into the HTML, an address, a Referer, or storage",
  async ({ app, page, vnc, remote, url }) => {
    const requested: { url: string; referer?: string }[] = [];
    page.on("request", (request) => {
      requested.push({ url: request.url(), referer: request.headers().referer });
    });
    await page.reload();
    await vnc.untilPhase("connected");
    const token = remote.tokens.at(-1)!;
    const html = await (await app.fetch("/vnc/remote")).text();
    assert.doesNotMatch(html, /<iframe|client\.html|token/);
    await same(() => page.locator("iframe").getAttribute("src"), "../api/webvnc/client.html");
    assert.equal(page.url(), `${url}/vnc/remote`);
    assert.ok(requested.length > 5, `${requested.length} requests`);
    const told = [html, ...requested.flatMap(({ url, referer }) => [url, referer ?? ""])];
    told.push(await page.evaluate(() => Object.values(localStorage).join()));
    assert.deepEqual(told.filter((text) => text.includes(token)), []);
  },
);
