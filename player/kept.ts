/** What the browser keeps, for the tab unless said otherwise. Never throws; where that is forbidden, nothing is kept. */

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
