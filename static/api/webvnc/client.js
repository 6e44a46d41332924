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
const XK_V = 0x76;
const BACKGROUND = "#05070a";

let RFB;
let keysyms;
let rfb = null;
let isViewOnly = false;
let isKeptOut = false;
let isControlDown = false;

function connect(token) {
  disconnect();
  const url = new URL("websockify", location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  url.searchParams.set("token", token);
  const own = rfb = new RFB(document.getElementById("picture"), url.href, { wsProtocols: ["binary"] });
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
  for (const character of text) press(keysymOf(character));
}

/** Sends this device's clipboard ahead of the keys, so that the remote page pastes what was copied here. */
async function pasteLocal() {
  const late = new Promise((done) => setTimeout(done, CLIPBOARD_MS));
  pasteNow(await Promise.race([remote.readLocal(), late]).catch(() => ""));
}

/** Puts the text, if there is one, on the remote clipboard and presses Ctrl+V. */
function pasteNow(text) {
  if (text) rfb?.clipboardPasteFrom(text);
  rfb?.sendKey(XK_CONTROL, "ControlLeft", true);
  rfb?.sendKey(XK_V, "KeyV");
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
  const isPasting = remote.mayReadLocal && !isViewOnly && event.ctrlKey && !event.altKey && !event.shiftKey &&
    event.code === "KeyV";
  if (!isLeaving && !isPasting) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (isLeaving) remote.onLeave();
  else pasteLocal();
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
