import { parseObject } from "../prefs/storage.ts";

/** The entry `vnc-prefs`: the viewer's choices for the VNC pages. */
export interface VncPrefs {
  /** Whether the viewer only watches. */
  viewOnly: boolean;
  /** Whether the controls lie over the lower edge. */
  isBarLow: boolean;
}

export const VNC_KEY = "vnc-prefs";

/** People open the page to take over, so viewOnly is off. The remote page's headline is on top, so the bar is low. */
export const DEFAULT_VNC_PREFS: VncPrefs = { viewOnly: false, isBarLow: true };

/** A stored text's valid fields, with defaults for all others. Never throws. */
export function readVncPrefs(text: string | null): VncPrefs {
  const stored = parseObject(text);
  const flag = (name: keyof VncPrefs) => {
    const value = Object.hasOwn(stored, name) ? stored[name] : undefined;
    return typeof value === "boolean" ? value : DEFAULT_VNC_PREFS[name];
  };
  return { viewOnly: flag("viewOnly"), isBarLow: flag("isBarLow") };
}
