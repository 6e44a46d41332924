import assert from "node:assert/strict";
import { type Action, actionOf, digitOf } from "../../../player/keys.ts";

const key = (key: string, keyCode = 0, modifiers = {}) =>
  actionOf({ key, keyCode, ctrlKey: false, altKey: false, metaKey: false, ...modifiers });

const NAMED: [string, Action][] = [
  ["ArrowLeft", "left"],
  ["Right", "right"],
  ["Enter", "ok"],
  [" ", "ok"],
  ["Escape", "back"],
  ["Backspace", "back"],
  ["GoBack", "back"],
  ["BrowserBack", "back"],
  ["MediaPlayPause", "toggle"],
  ["MediaStop", "pause"],
  ["MediaPlay", "play"],
  ["AudioVolumeMute", "mute"],
  ["AudioVolumeUp", "louder"],
  ["ChannelUp", "channelUp"],
  ["PageUp", "channelUp"],
  ["ChannelDown", "channelDown"],
  ["PageDown", "channelDown"],
  ["Guide", "channels"],
  ["Info", "info"],
  ["f", "fullScreen"],
];

/** As televisions send them: https://webostv.developer.lge.com, https://developer.samsung.com/smarttv */
const CODED: [number, Action][] = [
  [461, "back"],
  [10009, "back"],
  [13, "ok"],
  [37, "left"],
  [415, "play"],
  [19, "pause"],
  [413, "pause"],
  [10252, "toggle"],
  [449, "mute"],
  [427, "channelUp"],
  [428, "channelDown"],
  [33, "channelUp"],
  [10073, "channels"],
  [457, "info"],
];

Deno.test("keys are known by their names", () => {
  for (const [name, action] of NAMED) assert.equal(key(name), action, name);
});

Deno.test("keys without a name are known by their codes", () => {
  for (const name of ["", "Unidentified"]) {
    for (const [code, action] of CODED) assert.equal(key(name, code), action, String(code));
  }
});

Deno.test("letters, shortcuts and odd names ask for nothing", () => {
  for (const name of ["a", "F5", "Tab", "Shift", "constructor", "__proto__"]) assert.equal(key(name), null);
  for (const modifier of ["ctrlKey", "altKey", "metaKey"]) {
    assert.equal(key("ArrowLeft", 37, { [modifier]: true }), null);
  }
  // Firefox gives the minus key the code that other browsers give the Mute key
  assert.equal(key("-", 173), null);
});

const digit = (key: string, keyCode = 0, modifiers = {}) =>
  digitOf({ key, keyCode, ctrlKey: false, altKey: false, metaKey: false, ...modifiers });

Deno.test("digits are known by their names, on the number pad too, and by codes where there is no name", () => {
  assert.deepEqual(["0", "7"].map((name) => digit(name)), [0, 7]);
  assert.deepEqual([48, 57, 96, 105].map((code) => digit("Unidentified", code)), [0, 9, 0, 9]);
  assert.equal(digit("", 53), 5);
});

Deno.test("what a digit's key gives with Shift, and shortcuts, are no digits", () => {
  for (const name of ["!", "a", "F1", "Tab"]) assert.equal(digit(name, 49), null, name);
  for (const modifier of ["ctrlKey", "altKey", "metaKey"]) {
    assert.equal(digit("1", 49, { [modifier]: true }), null);
  }
  assert.equal(digit("Unidentified", 461), null);
});
