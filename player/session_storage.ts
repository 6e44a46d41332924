/** sessionStorage that never throws; where it is forbidden, nothing is stored. */
export function store(key: string, value: string): void {
  try {
    sessionStorage.setItem(key, value);
  } catch (_) {
    // full, or forbidden by the browser's settings
  }
}

export function stored(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch (_) {
    return null;
  }
}
