/** What a person types in /vnc/{id}: shortcuts, letters that no key has, what an input method composes. */
import type { Page } from "playwright-core";
import { same } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";
import { BEFORE_CLICK, type Key } from "../support/vnc_page.ts";
import { CLIPBOARD, readClipboard, vncTest, type VncUi } from "../support/vnc_ui.ts";

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
