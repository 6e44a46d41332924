/**
 * localStorage that never throws: where it is forbidden (private windows, blocked cookies) or full, entries live
 * in this page's memory.
 */
export class SafeStorage {
  readonly #memory = new Map<string, string>();

  get(key: string): string | null {
    return this.#memory.get(key) ?? attempt(() => localStorage.getItem(key)) ?? null;
  }

  /** Writes only a changed value, since every write wakes the other tabs. */
  set(key: string, value: string): void {
    if (this.get(key) === value) return;
    const isStored = attempt(() => {
      localStorage.setItem(key, value);
      return true;
    });
    if (isStored) this.#memory.delete(key);
    else this.#memory.set(key, value);
  }

  remove(key: string): void {
    this.#memory.delete(key);
    attempt(() => localStorage.removeItem(key));
  }

  /** Forgets the entry in memory: another tab's change is newer; null: everything was cleared. */
  forget(key: string | null): void {
    if (key === null) this.#memory.clear();
    else this.#memory.delete(key);
  }

  keys(): string[] {
    const stored = attempt(() => Array.from({ length: localStorage.length }, (_, n) => localStorage.key(n)!));
    return [...new Set([...stored ?? [], ...this.#memory.keys()])];
  }
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** A stored text as an object; empty for any other text. Never throws: the storage may have any content. */
export function parseObject(text: string | null): Record<string, unknown> {
  const value: unknown = attempt(() => JSON.parse(text ?? "null"));
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
