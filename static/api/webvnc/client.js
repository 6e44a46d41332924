/**
 * The VNC client inside /vnc/{id}: noVNC's core and nothing around it. The page around it has the controls and uses
 * the promise `remoteScreen` (components/vnc/remoteScreen.ts). The token comes by a call, so no address has it.
 */
import { takeText } from "./field.js";
import { makeZoomable } from "./zoom.js";

const CONNECT_MS = 10_000;
const CLIPBOARD_MS = 1000;
const XK_RETURN = 0xff0d;
const XK_BACKSPACE = 0xff08;
const XK_TAB = 0xff09;
const XK_CONTROL = 0xffe3;
const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);
/** Keysyms of characters that have no older one begin here. */
const UNICODE = 0x01000000;
const MAX_CODE = 0x10ffff;
/** UTF-16 units of a text above which nobody has typed it: two messages for each key would take longer than a paste. */
const LONG_TEXT = 500;
/** UTF-16 units of a message, half of what the service types at once. */
const TEXT_AT_ONCE = 2000;
/** Control, Meta, Alt and Super: with them a key is a shortcut. */
const MODIFIERS = new Set([0xffe3, 0xffe4, 0xffe7, 0xffe8, 0xffe9, 0xffea, 0xffeb, 0xffec]);
const BACKGROUND = "#05070a";
const typing = document.getElementById("typing");
const picture = document.getElementById("picture");
/** There a text field with the focus would open a keyboard over the picture; the page around has a button for it. */
const byFinger = matchMedia("(pointer: coarse)");

let RFB;
let keysyms;
/** noVNC's, for the field's keys. */
let keyboard;
let rfb = null;
let isConnected = false;
let isViewOnly = false;
let isKeptOut = false;
let isControlDown = false;
/** The codes of those of MODIFIERS that are held. */
const modifiersDown = new Map();
/** Characters by their older keysyms; made when it is first needed. */
let characters = null;

function connect(token) {
  disconnect();
  const url = new URL("websockify", location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  url.searchParams.set("token", token);
  modifiersDown.clear();
  const own = rfb = new RFB(picture, url.href, { wsProtocols: ["binary"] });
  divertText(own);
  own.focus = () => {
    const place = byFinger.matches ? picture.querySelector("canvas") : typing;
    place?.focus({ preventScroll: true });
  };
  const timer = setTimeout(() => own.disconnect(), CONNECT_MS);
  own.viewOnly = isViewOnly;
  own.focusOnClick = !isKeptOut;
  own.scaleViewport = true;
  own.background = BACKGROUND;
  own.addEventListener("connect", () => {
    clearTimeout(timer);
    if (own !== rfb) return;
    isConnected = true;
    watchKeys();
    remote.onConnect();
  });
  own.addEventListener("disconnect", () => {
    clearTimeout(timer);
    if (own !== rfb) return;
    forget();
    remote.onClose();
  });
  own.addEventListener("clipboard", ({ detail }) => remote.onClipboard(detail.text));
}

/** Has what no key of the display's keyboard writes sent as text; with a modifier it is a shortcut, so a key. */
function divertText(own) {
  const sendKey = own.sendKey.bind(own);
  /** Keysyms of the shortcuts' keys that are held, by their codes. */
  const shortcutsDown = new Map();
  own.sendKey = (keysym, code, down) => {
    const character = textOf(keysym);
    if (character === "") sendKey(keysym, code, down);
    else if (down === false) {
      if (shortcutsDown.has(code)) sendKey(shortcutsDown.get(code), code, false);
      shortcutsDown.delete(code);
    } else if (modifiersDown.size > 0) {
      shortcutsDown.set(code, shortcutOf(character, code) ?? keysym);
      sendKey(shortcutsDown.get(code), code, true);
    } else if (!own.viewOnly) sendText(own, character);
    if (MODIFIERS.has(keysym) && down !== undefined) {
      if (down) modifiersDown.set(keysym, code);
      else modifiersDown.delete(keysym);
    }
  };
}

/** The keysym of a shortcut that is pressed on a keyboard of another alphabet: Ctrl and a Cyrillic С is Ctrl+C. */
function shortcutOf(character, code) {
  const letter = letterOf({ key: character, code });
  if (letter === "") return undefined;
  return (character === character.toLowerCase() ? letter : letter.toUpperCase()).charCodeAt(0);
}

function disconnect() {
  const old = rfb;
  forget();
  old?.disconnect();
}

function forget() {
  isConnected = false;
  watchKeys();
  rfb = null;
}

/** The field's keys are the remote page's while it is there and may be touched. */
function watchKeys() {
  if (isConnected && !isViewOnly) keyboard.grab();
  else keyboard.ungrab();
}

/**
 * The character that a keysym stands for, if no key of the display's keyboard has it; else "". Xvnc would give such a
 * character a key of its own, as long as it has keys left.
 */
function textOf(keysym) {
  // above are keys of a keyboard without a character, such as volume
  if (keysym > UNICODE && keysym <= UNICODE + MAX_CODE) return String.fromCodePoint(keysym - UNICODE);
  if (keysym >= 0xa0 && keysym <= 0xff) return String.fromCodePoint(keysym);
  if (keysym < 0x100 || keysym >= 0xfe00) return "";
  if (characters === null) {
    characters = new Map();
    for (let code = 0x100; code < 0x3400; code++) {
      characters.set(keysyms.lookup(code), String.fromCodePoint(code));
    }
  }
  return characters.get(keysym) ?? "";
}

/**
 * In order with the keys: the service types it as the page's own text (lib/takeover/bridge.ts). No message is longer than the
 * service takes, and none ends within a character.
 */
function sendText(own, text) {
  const socket = own._sock?._websocket;
  if (socket?.readyState !== WebSocket.OPEN) return;
  let message = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (message && message.length + segment.length > TEXT_AT_ONCE) {
      socket.send(message);
      message = "";
    }
    message += segment;
  }
  if (message) socket.send(message);
}

function press(keysym, times = 1) {
  for (; times > 0; times--) rfb?.sendKey(keysym);
}

function keysymOf(character) {
  if (character === "\n") return XK_RETURN;
  if (character === "\t") return XK_TAB;
  return keysyms.lookup(character.codePointAt(0));
}

function type(text, erase = 0) {
  press(XK_BACKSPACE, erase);
  if (text.length > LONG_TEXT) return pasteNow(text);
  // characters of several parts, such as flags and accents, come in one piece
  const parts = text.match(/[\t\n\x20-\x7e]|[^\t\n\x20-\x7e]+/gu) ?? [];
  for (const part of parts) {
    if (/^[\t\n\x20-\x7e]$/.test(part)) press(keysymOf(part));
    else if (isConnected && !isViewOnly) sendText(rfb, part);
  }
}

/** Sends this device's clipboard ahead of the keys, so that the remote page pastes what was copied here. */
async function pasteLocal() {
  const late = new Promise((done) => setTimeout(done, CLIPBOARD_MS));
  pasteNow(await Promise.race([remote.readLocal(), late]).catch(() => ""));
}

/**
 * Puts the text, if there is one, on the remote clipboard and presses Ctrl+V. The page there waits for a text that was
 * announced, so none is that cannot come: noVNC encodes no half of a character.
 */
function pasteNow(text) {
  if (text && !remote.mayPaste(text)) return;
  if (text) rfb?.clipboardPasteFrom(text.toWellFormed());
  withControl("v", "KeyV");
}

/**
 * The Latin letter that a shortcut is named by: what its key writes, or in another alphabet what it writes in the United
 * States; "" if there is none.
 */
function letterOf({ key, code }) {
  if (/^[\x20-\x7e]$/.test(key)) return /[a-z]/i.test(key) ? key.toLowerCase() : "";
  return /^Key([A-Z])$/.exec(code)?.[1].toLowerCase() ?? "";
}

function withControl(letter, code) {
  rfb?.sendKey(XK_CONTROL, "ControlLeft", true);
  rfb?.sendKey(letter.charCodeAt(0), code);
  if (!isControlDown) rfb?.sendKey(XK_CONTROL, "ControlLeft", false);
}

const remote = {
  connect,
  disconnect,
  type,
  pasteNow,
  focus: () => rfb?.focus(),
  setViewOnly(isOn) {
    isViewOnly = isOn;
    if (rfb) rfb.viewOnly = isOn;
    watchKeys();
  },
  keepFocusOutside(isOn) {
    isKeptOut = isOn;
    if (rfb) rfb.focusOnClick = !isOn;
  },
  mayReadLocal: false,
  readLocal: () => Promise.resolve(""),
  mayPaste: () => true,
  onConnect() {},
  onClose() {},
  onClipboard() {},
  onLeave() {},
  onZoom() {},
};

const field = takeText(typing, type);

addEventListener("mousedown", ({ clientX, clientY }) => field.moveTo(clientX, clientY), true);
addEventListener("keydown", (event) => {
  isControlDown = event.ctrlKey;
  if (field.writes(event)) return event.stopPropagation();
  const isLeaving = event.key === "F6";
  const letter = isViewOnly || event.altKey ? "" : letterOf(event);
  // what Command does with a letter on a Mac, Control does there
  const isCommand = IS_MAC && letter !== "" && event.metaKey && !event.ctrlKey;
  const isPasting = remote.mayReadLocal && letter === "v" && !event.shiftKey && (event.ctrlKey || isCommand);
  // noVNC drops keys of more than one UTF-16 unit. Names, such as ArrowUp, are ASCII
  const isLongText = event.key.length > 1 && /[^\x20-\x7e]/.test(event.key);
  if (!isLeaving && !isPasting && !isCommand && !isLongText) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  // noVNC has sent Command as the Alt or Super of the display
  if (isCommand) { for (const [keysym, code] of modifiersDown) rfb?.sendKey(keysym, code, false); }
  if (isLeaving) remote.onLeave();
  else if (isPasting) pasteLocal();
  else if (isLongText) { if (modifiersDown.size === 0) type(event.key); }
  else withControl(event.shiftKey ? letter.toUpperCase() : letter, event.code);
}, true);
addEventListener("keyup", (event) => isControlDown = event.ctrlKey, true);
addEventListener("blur", () => isControlDown = false);

makeZoomable(document.getElementById("screen"), picture, (isZoomed) => remote.onZoom(isZoomed));

/** Loads noVNC's modules. By a variable: `deno compile` looks for every file an import names, and these are Debian's. */
async function load() {
  const core = new URL("./core/", import.meta.url);
  const files = ["rfb.js", "input/keysymdef.js", "input/keyboard.js", "util/logging.js"];
  const [rfbModule, keysymModule, keyboardModule, logging] = await Promise.all(
    files.map((file) => import(new URL(file, core).href)),
  );
  RFB = rfbModule.default;
  keysyms = keysymModule.default;
  keyboard = new keyboardModule.default(typing);
  keyboard.onkeyevent = (keysym, code, isDown) => rfb?.sendKey(keysym, code, isDown);
  // what goes wrong is told by the page around
  logging.initLogging("none");
  return remote;
}

globalThis.remoteScreen = load();
