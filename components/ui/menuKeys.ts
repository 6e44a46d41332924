/** The effect of a key in a menu. Pure. */

type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/**
 * The item that a key leads to: arrows go round, Home and End to the ends, a letter to the next item with that initial.
 * @returns null for keys that move nothing.
 */
export function nextItem(
  { key, ctrlKey, metaKey, altKey }: Key,
  labels: string[],
  at: number,
): number | null {
  const count = labels.length;
  switch (key) {
    case "ArrowDown":
      return (at + 1) % count;
    case "ArrowUp":
      return (Math.max(at, 0) - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
  }
  if (ctrlKey || metaKey || altKey || !/^\S$/u.test(key)) return null;
  const begins = (label: string) => label.trim().toLowerCase().startsWith(key.toLowerCase());
  const order = labels.map((_, step) => (at + 1 + step) % count);
  return order.find((index) => begins(labels[index])) ?? null;
}
