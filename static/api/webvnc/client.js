/**
 * The VNC client inside /vnc/{id}: noVNC's core and nothing around it. The page around it has the controls and uses
 * the promise `remoteScreen` (components/vnc/remoteScreen.ts). The token comes by a call, so no address has it.
 */
import { makeZoomable } from "./zoom.js";

const CONNECT_MS = 10_000;
const CLIPBOARD_MS = 1000;
const XK_RETURN = 0xff0d;
const XK_BACKSPACE = 0xff08;
const XK_TAB = 0xff09;
const XK_CONTROL = 0xffe3;
const XK_SUPER = 0xffeb;
const XK_META = 0xffe7;
/** What Command does on a Mac, and Control there: paste, copy, cut, select all, undo. */
const COMMANDS = { KeyV: 0x76, KeyC: 0x63, KeyX: 0x78, KeyA: 0x61, KeyZ: 0x7a };
const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);
/** Keysyms of characters that have no older one begin here. */
const UNICODE = 0x01000000;
/** Control, Meta, Alt and Super: with them a key is a shortcut. */
const MODIFIERS = new Set([0xffe3, 0xffe4, 0xffe7, 0xffe8, 0xffe9, 0xffea, 0xffeb, 0xffec]);
const BACKGROUND = "#05070a";

let RFB;
let keysyms;
let rfb = null;
let isViewOnly = false;
let isKeptOut = false;
let isControlDown = false;
/** Those of MODIFIERS that are held. */
const modifiersDown = new Set();
/** Characters by their older keysyms; made when it is first needed. */
let characters = null;

function connect(token) {
  disconnect();
  const url = new URL("websockify", location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  url.searchParams.set("token", token);
  modifiersDown.clear();
  const own = rfb = new RFB(document.getElementById("picture"), url.href, { wsProtocols: ["binary"] });
  const sendKey = own.sendKey.bind(own);
  own.sendKey = (keysym, code, down) => {
    const character = textOf(keysym);
    if (character === "" || modifiersDown.size > 0) sendKey(keysym, code, down);
    else if (down !== false && !own.viewOnly) sendText(own, character);
    if (MODIFIERS.has(keysym) && down !== undefined) {
      if (down) modifiersDown.add(keysym);
      else modifiersDown.delete(keysym);
    }
  };
  const timer = setTimeout(() => own.disconnect(), CONNECT_MS);
  own.viewOnly = isViewOnly;
  own.focusOnClick = !isKeptOut;
  own.scaleViewport = true;
  own.background = BACKGROUND;
  own.addEventListener("connect", () => {
    clearTimeout(timer);
    if (own === rfb) remote.onConnect();
  });
  own.addEventListener("disconnect", () => {
    clearTimeout(timer);
    if (own !== rfb) return;
    rfb = null;
    remote.onClose();
  });
  own.addEventListener("clipboard", ({ detail }) => remote.onClipboard(detail.text));
}

function disconnect() {
  const old = rfb;
  rfb = null;
  old?.disconnect();
}

/**
 * The character that a keysym stands for, if no key of the display's keyboard has it; else "". Xvnc would give such a
 * character a key of its own, as long as it has keys left.
 */
function textOf(keysym) {
  if (keysym > UNICODE) return String.fromCodePoint(keysym - UNICODE);
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

/** In order with the keys: the service types it as the page's own text (lib/vnc/bridge.ts). */
function sendText(own, text) {
  const socket = own._sock?._websocket;
  if (socket?.readyState === WebSocket.OPEN) socket.send(text);
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
  // characters of several parts, such as flags and accents, come in one piece
  const parts = text.match(/[\t\n\x20-\x7e]|[^\t\n\x20-\x7e]+/gu) ?? [];
  for (const part of parts) {
    if (/^[\t\n\x20-\x7e]$/.test(part)) press(keysymOf(part));
    else if (rfb && !isViewOnly) sendText(rfb, part);
  }
}

/** Sends this device's clipboard ahead of the keys, so that the remote page pastes what was copied here. */
async function pasteLocal() {
  const late = new Promise((done) => setTimeout(done, CLIPBOARD_MS));
  pasteNow(await Promise.race([remote.readLocal(), late]).catch(() => ""));
}

/** Puts the text, if there is one, on the remote clipboard and presses Ctrl+V. */
function pasteNow(text) {
  if (text) rfb?.clipboardPasteFrom(text);
  withControl(COMMANDS.KeyV, "KeyV");
}

function withControl(keysym, code) {
  rfb?.sendKey(XK_CONTROL, "ControlLeft", true);
  rfb?.sendKey(keysym, code);
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
  },
  keepFocusOutside(isOn) {
    isKeptOut = isOn;
    if (rfb) rfb.focusOnClick = !isOn;
  },
  mayReadLocal: false,
  readLocal: () => Promise.resolve(""),
  onConnect() {},
  onClose() {},
  onClipboard() {},
  onLeave() {},
  onZoom() {},
};

addEventListener("keydown", (event) => {
  isControlDown = event.ctrlKey;
  const isLeaving = event.key === "F6";
  const isAlone = !isViewOnly && !event.altKey && !event.shiftKey;
  const isCommand = IS_MAC && isAlone && event.metaKey && !event.ctrlKey &&
    Object.hasOwn(COMMANDS, event.code);
  const isPasting = remote.mayReadLocal && isAlone && (event.ctrlKey || isCommand) && event.code === "KeyV";
  if (!isLeaving && !isPasting && !isCommand) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (isCommand) { for (const keysym of [XK_SUPER, XK_META]) rfb?.sendKey(keysym, event.code, false); }
  if (isLeaving) remote.onLeave();
  else if (isPasting) pasteLocal();
  else withControl(COMMANDS[event.code], event.code);
}, true);
addEventListener("keyup", (event) => isControlDown = event.ctrlKey, true);
addEventListener("blur", () => isControlDown = false);

makeZoomable(
  document.getElementById("screen"),
  document.getElementById("picture"),
  (isZoomed) => remote.onZoom(isZoomed),
);

/** Loads noVNC's modules. By a variable: `deno compile` looks for every file an import names, and these are Debian's. */
async function load() {
  const core = new URL("./core/", import.meta.url);
  const [rfbModule, keysymModule, logging] = await Promise.all(
    ["rfb.js", "input/keysymdef.js", "util/logging.js"].map((file) => import(new URL(file, core).href)),
  );
  RFB = rfbModule.default;
  keysyms = keysymModule.default;
  // what goes wrong is told by the page around
  logging.initLogging("none");
  return remote;
}

globalThis.remoteScreen = load();
