import { parseObject } from "../prefs/storage.ts";

/** The entry `vnc-prefs`: how this viewer likes the VNC pages. */
export interface VncPrefs {
  /** Watch without touching. */
  viewOnly: boolean;
  /** The controls lie over the lower edge. */
  isBarLow: boolean;
}

export const VNC_KEY = "vnc-prefs";

/** People open the page to take over, so it does not start as view only; its headline is on top, so the bar is not. */
export const DEFAULT_VNC_PREFS: VncPrefs = { viewOnly: false, isBarLow: true };

/** A stored text's valid fields, defaults for all others. Never throws. */
export function readVncPrefs(text: string | null): VncPrefs {
  const stored = parseObject(text);
  const flag = (name: keyof VncPrefs) => {
    const value = Object.hasOwn(stored, name) ? stored[name] : undefined;
    return typeof value === "boolean" ? value : DEFAULT_VNC_PREFS[name];
  };
  return { viewOnly: flag("viewOnly"), isBarLow: flag("isBarLow") };
}
