/** What a person types in /vnc/{id}: shortcuts, letters that no key has, what an input method composes. */
import { strict as assert } from "node:assert";
import fc from "fast-check";
import type { Page } from "playwright-core";
import { keystrokesBetween } from "../../components/vnc/keystrokes.ts";
import { same, until } from "../support/same.ts";
import { hasAllTests, inSoak } from "../support/soak.ts";
import { uiTest } from "../support/ui.ts";
import { BEFORE_CLICK, type Key } from "../support/vnc_page.ts";
import { CLIPBOARD, openKeyboard, PHONE, readClipboard, vncTest, type VncUi } from "../support/vnc_ui.ts";

/** The VNC page in a browser of a Mac. */
async function onMac({ page, vnc }: Pick<VncUi, "page" | "vnc">): Promise<void> {
  await page.addInitScript(() => Object.defineProperty(navigator, "platform", { value: "MacIntel" }));
  await page.reload();
  await vnc.untilPhase("connected");
  await vnc.untilColour(BEFORE_CLICK);
  await vnc.focusField();
}

/** Presses keys one after the other while another one is held. */
async function pressWhile(page: Page, held: string, ...keys: string[]): Promise<void> {
  await page.keyboard.down(held);
  for (const key of keys) await page.keyboard.press(key);
  await page.keyboard.up(held);
}

inSoak(vncTest)("either Command of a Mac is with letters what Control is there", async (ui) => {
  const { page, vnc } = ui;
  await onMac(ui);
  for (const command of ["MetaLeft", "MetaRight"]) {
    await page.keyboard.type("old");
    await vnc.untilText("old");
    await page.evaluate(() => navigator.clipboard.writeText("new"));
    await pressWhile(page, command, "a", "v");
    await vnc.untilText("new");
    await page.keyboard.type("v");
    await vnc.untilText("newv");
    await pressWhile(page, command, "z");
    await vnc.untilText("new");
    await pressWhile(page, command, "Shift+Z");
    await vnc.untilText("newv");
    await pressWhile(page, command, "a", "c");
    await same(() => readClipboard(page), "newv");
    await page.keyboard.press("End");
    await page.keyboard.type("!");
    await pressWhile(page, command, "a", "x");
    await vnc.untilText("");
    await same(() => readClipboard(page), "newv!");
  }
}, { context: CLIPBOARD });

/** Of a keyboard that writes an A where that of the United States writes a Q. */
const FRENCH_A = { key: "a", code: "KeyQ" };
const CYRILLIC = { c: { key: "с", code: "KeyC" }, x: { key: "ч", code: "KeyX" } };

inSoak(vncTest)("a shortcut is that of its letter, on every keyboard", async (ui) => {
  const { page, vnc } = ui;
  await onMac(ui);
  const withKey = (key: string, code: string, flag: Key) => (letter: Key) =>
    vnc.chord({ key, code, ...flag }, { ...letter, ...flag });
  const command = withKey("Meta", "MetaLeft", { metaKey: true });
  const control = withKey("Control", "ControlLeft", { ctrlKey: true });
  await page.keyboard.type("one");
  for (const press of [command, control]) {
    await press(FRENCH_A);
    await page.keyboard.type("two");
    await vnc.untilText("two");
    await press(CYRILLIC.c);
    await same(() => readClipboard(page), "two");
    await page.keyboard.type("!");
    await press(CYRILLIC.x);
    await vnc.untilText("");
    await same(() => readClipboard(page), "two!");
    await page.keyboard.type("one");
    await vnc.untilText("one");
  }
}, { context: CLIPBOARD });

vncTest(
  "letters of other keyboards arrive as they were typed, in order with the keys",
  async ({ page, vnc }) => {
    await vnc.focusField();
    const keys = [["п", "KeyG"], ["р", "KeyH"], ["x", "KeyX"], ["ü", "BracketLeft"], ["€", "KeyE"]];
    // noVNC takes no key of two UTF-16 units
    keys.push(["ż", "KeyZ"], ["𞤀", "KeyA"], ["😀", "KeyQ"]);
    for (const [key, code] of keys) await vnc.chord({ key, code });
    await page.keyboard.type("!");
    // the browser that is pretended here cannot be typed into, so that they come as keys after all
    await vnc.untilText("прxü€ż𞤀😀!");
  },
);

/** What an input method writes into the field with the focus; its keys have this code, whatever they are. */
const PROCESS_KEY = 229;

/** Composes a text by steps as an input method does, and accepts it. */
async function compose(page: Page, steps: string[], text: string): Promise<void> {
  const client = await page.context().newCDPSession(page);
  for (const [at, step] of [...steps, text].entries()) {
    const key = { key: "n", code: "KeyN", windowsVirtualKeyCode: PROCESS_KEY };
    await client.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
    const selection = { selectionStart: step.length, selectionEnd: step.length };
    if (at < steps.length) await client.send("Input.imeSetComposition", { text: step, ...selection });
    else await client.send("Input.insertText", { text });
    await client.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  }
  await client.detach();
}

const STEPS = ["n", "に", "にh", "にほ", "にほn", "にほん", "日本"];

inSoak(vncTest)("what an input method composes arrives once, as it was accepted", async ({ page, vnc }) => {
  await vnc.focusField();
  await page.keyboard.type("a");
  await compose(page, STEPS, "日本");
  await compose(page, ["ㅎ", "하"], "한");
  await page.keyboard.type("b");
  await vnc.untilText("a日本한b");
  await vnc.shot("composed");
});

inSoak(vncTest)(
  "what is composed is finished by a click, and shown until then",
  async ({ page, vnc, remote }) => {
    await vnc.focusField();
    const client = await page.context().newCDPSession(page);
    const step = { text: "にほ", selectionStart: 2, selectionEnd: 2 };
    await client.send("Input.imeSetComposition", step);
    const field = vnc.frame.getByLabel("Keys for the remote page");
    await until("it to be shown", () => field.evaluate((it) => getComputedStyle(it).opacity === "1"));
    await vnc.shot("composing");
    await same(async () => (await remote.seen())!.text, "");
    await vnc.focusField();
    await vnc.clickAt([880, 140]);
    await vnc.untilText("にほ");
    await same(() => field.evaluate((it) => getComputedStyle(it).opacity), "0");
  },
);

inSoak(vncTest)("a panel of emoji and a dead key write as into any field", async ({ page, vnc }) => {
  await vnc.focusField();
  await page.keyboard.insertText("👩‍👩‍👧");
  const client = await page.context().newCDPSession(page);
  // as Windows tells of them: the letter alone, and the letter with its accent as what it writes
  const keys = [
    { key: "Dead", code: "BracketLeft", windowsVirtualKeyCode: 219 },
    { key: "Shift", code: "ShiftLeft", windowsVirtualKeyCode: 16 },
    { key: "E", code: "KeyE", windowsVirtualKeyCode: 69, text: "Ê" },
    { key: "e", code: "KeyE", windowsVirtualKeyCode: 69, text: "e" },
  ];
  for (const key of keys) {
    await client.send("Input.dispatchKeyEvent", { type: "keyDown", ...key });
    await client.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  }
  await vnc.untilText("👩‍👩‍👧Êe");
});

inSoak(vncTest)(
  "a long text without a space arrives whole, and a key without a character is a key",
  async (ui) => {
    const { page, vnc, remote } = ui;
    await vnc.focusField();
    const text = "日本".repeat(2500) + "👩‍👩‍👧";
    await page.keyboard.insertText(text);
    await vnc.chord({ key: "BrowserBack", code: "BrowserBack" });
    await page.keyboard.type("!");
    await vnc.untilText(`${text}!`);
    const XF86_BACK = 0x1008ff26;
    assert.ok(remote.keysyms.includes(XF86_BACK), "it was pressed at the display");
  },
);

inSoak(vncTest)("what a phone's keyboard composes arrives once, as it was accepted", async (ui) => {
  const { page, vnc } = ui;
  await openKeyboard(ui);
  await page.keyboard.insertText("a");
  await compose(page, STEPS, "日本");
  await compose(page, ["ㅎ", "하"], "한");
  await page.keyboard.insertText("b");
  await vnc.untilText("a日本한b");
}, { context: PHONE });

inSoak(vncTest)("a phone's Backspace takes a whole emoji there too", async (ui) => {
  const { page, vnc } = ui;
  const { field } = await openKeyboard(ui);
  const write = (text: string) => page.keyboard.insertText(text);
  await write("kept👩‍👩‍👧");
  await vnc.untilText("kept👩‍👩‍👧");
  await page.keyboard.press("Backspace");
  await vnc.untilText("kept");
  await write("🇩🇪");
  await vnc.untilText("kept🇩🇪");
  await field.evaluate((it: HTMLTextAreaElement) => {
    it.value = it.value.replace("🇩🇪", "🇩🇰");
    it.dispatchEvent(new InputEvent("input"));
  });
  await vnc.untilText("kept🇩🇰");
}, { context: PHONE });

/** Of what emoji, and letters of some alphabets, are put together. */
const PARTS = [
  ...[..."aक्षिé🇩🇪👩👍❤🏴🏽1#日"],
  ...["e\u0301", "👩\u200d", "🏴\u200d", "❤️", "👍🏽", "👩🏽\u200d", "1️⃣", "#\u20e3", "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "葛\u{e0100}"],
];

inSoak(uiTest)("as many Backspaces are sent as Chromium needs", async ({ page }) => {
  await page.setContent("<textarea autofocus></textarea>");
  const field = page.locator("textarea");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...PARTS), { maxLength: 6 }), async (parts) => {
      const text = parts.join("");
      await field.fill(text);
      let needed = 0;
      for (; await field.inputValue() !== ""; needed++) await page.keyboard.press("Backspace");
      assert.equal(keystrokesBetween(text, "").erase, needed, text);
    }),
    { numRuns: hasAllTests() ? 100 : 30, seed: 33 },
  );
});
