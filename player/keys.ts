/** Keys of remote controls and keyboards. */

export type Action =
  | "back"
  | "ok"
  | "left"
  | "right"
  | "up"
  | "down"
  | "play"
  | "pause"
  | "toggle"
  | "mute"
  | "louder"
  | "quieter"
  | "channelUp"
  | "channelDown"
  | "channels"
  | "info"
  | "fullScreen"
  | "mode";

/** By `event.key`: https://www.w3.org/TR/uievents-key/, and the names older browsers use. */
const BY_NAME: Record<string, Action> = {
  GoBack: "back",
  BrowserBack: "back",
  XF86Back: "back",
  Escape: "back",
  Esc: "back",
  Backspace: "back",
  Enter: "ok",
  Select: "ok",
  Accept: "ok",
  " ": "ok",
  Spacebar: "ok",
  ArrowLeft: "left",
  Left: "left",
  ArrowRight: "right",
  Right: "right",
  ArrowUp: "up",
  Up: "up",
  ArrowDown: "down",
  Down: "down",
  MediaPlay: "play",
  MediaPause: "pause",
  Pause: "pause",
  MediaStop: "pause",
  MediaPlayPause: "toggle",
  AudioVolumeMute: "mute",
  VolumeMute: "mute",
  m: "mute",
  M: "mute",
  AudioVolumeUp: "louder",
  VolumeUp: "louder",
  AudioVolumeDown: "quieter",
  VolumeDown: "quieter",
  ChannelUp: "channelUp",
  PageUp: "channelUp",
  ChannelDown: "channelDown",
  PageDown: "channelDown",
  Guide: "channels",
  Info: "info",
  f: "fullScreen",
  F: "fullScreen",
  i: "mode",
  I: "mode",
};

/** By `event.keyCode`, for televisions that give no name: webOS sends 461 for Back, Tizen 10009. */
const BY_CODE: Record<number, Action> = {
  8: "back",
  27: "back",
  166: "back",
  461: "back",
  10009: "back",
  13: "ok",
  32: "ok",
  37: "left",
  38: "up",
  39: "right",
  40: "down",
  415: "play",
  19: "pause",
  413: "pause",
  178: "pause",
  179: "toggle",
  10252: "toggle",
  449: "mute",
  447: "louder",
  448: "quieter",
  33: "channelUp",
  427: "channelUp",
  34: "channelDown",
  428: "channelDown",
  458: "channels",
  10073: "channels",
  457: "info",
};

type Key = Pick<KeyboardEvent, "key" | "keyCode" | "ctrlKey" | "altKey" | "metaKey">;

/** What a key asks for; null for all others, and for the browser's own shortcuts. */
export function actionOf(key: Key): Action | null {
  if (key.ctrlKey || key.altKey || key.metaKey) return null;
  const action = BY_NAME[key.key];
  // every object has properties such as "constructor"
  return typeof action === "string" ? action : BY_CODE[key.keyCode] || null;
}

/** The digit of a key, of the row above the letters or of the number pad; null for all others. */
export function digitOf({ key, keyCode, ctrlKey, altKey, metaKey }: Key): number | null {
  if (ctrlKey || altKey || metaKey) return null;
  if (/^[0-9]$/.test(key)) return Number(key);
  if (key && key !== "Unidentified") return null;
  for (const zero of [48, 96]) if (keyCode >= zero && keyCode <= zero + 9) return keyCode - zero;
  return null;
}
