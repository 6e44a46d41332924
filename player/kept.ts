/**
 * Values that the browser stores, for the tab unless an area is given. Never throws; where storage is forbidden, nothing is
 * stored.
 */

type Area = "sessionStorage" | "localStorage";

export function store(key: string, value: string, area: Area = "sessionStorage"): void {
  try {
    self[area].setItem(key, value);
  } catch (_) {
    // full, or forbidden by the browser's settings
  }
}

export function stored(key: string, area: Area = "sessionStorage"): string | null {
  try {
    return self[area].getItem(key);
  } catch (_) {
    return null;
  }
}
