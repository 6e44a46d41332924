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

/**
 * By `event.key`: https://www.w3.org/TR/uievents-key/, and the names older browsers use; and by `#` and `event.keyCode`,
 * for televisions that give no name: webOS sends 461 for Back, Tizen 10009.
 */
const KEYS: Record<Action, string> = {
  back: "GoBack BrowserBack XF86Back Escape Esc Backspace #8 #27 #166 #461 #10009",
  ok: "Enter Select Accept Spacebar #13 #32",
  left: "ArrowLeft Left #37",
  right: "ArrowRight Right #39",
  up: "ArrowUp Up #38",
  down: "ArrowDown Down #40",
  play: "MediaPlay #415",
  pause: "MediaPause Pause MediaStop #19 #413 #178",
  toggle: "MediaPlayPause #179 #10252",
  mute: "AudioVolumeMute VolumeMute m M #449",
  louder: "AudioVolumeUp VolumeUp #447",
  quieter: "AudioVolumeDown VolumeDown #448",
  channelUp: "ChannelUp PageUp #33 #427",
  channelDown: "ChannelDown PageDown #34 #428",
  channels: "Guide #458 #10073",
  info: "Info #457",
  fullScreen: "f F",
  mode: "i I",
};

/** Every object has properties such as "constructor". */
const ACTIONS: { [key: string]: Action } = Object.create(null);
for (const action of Object.keys(KEYS) as Action[]) {
  for (const key of KEYS[action].split(" ")) ACTIONS[key] = action;
}

type Key = Pick<KeyboardEvent, "key" | "keyCode" | "ctrlKey" | "altKey" | "metaKey">;

/** The action of a key; null for all other keys, and for the browser's own shortcuts. */
export function actionOf(key: Key): Action | null {
  if (key.ctrlKey || key.altKey || key.metaKey) return null;
  return ACTIONS[key.key === " " ? "Spacebar" : key.key] || ACTIONS["#" + key.keyCode] || null;
}

/** The digit of a key, of the row above the letters or of the number pad; null for all others. */
export function digitOf({ key, keyCode, ctrlKey, altKey, metaKey }: Key): number | null {
  if (ctrlKey || altKey || metaKey) return null;
  if (/^[0-9]$/.test(key)) return Number(key);
  if (key && key !== "Unidentified") return null;
  for (const zero of [48, 96]) if (keyCode >= zero && keyCode <= zero + 9) return keyCode - zero;
  return null;
}
