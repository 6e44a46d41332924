/** The keys that move a card. Pure. */

type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** The new position of a card after a key with Ctrl (or Cmd) and Shift; null: another key. @param last position. */
export function placeByKey(
  { key, ctrlKey, metaKey, shiftKey, altKey }: Key,
  position: number,
  last: number,
): number | null {
  if (!(ctrlKey || metaKey) || !shiftKey || altKey) return null;
  switch (key) {
    case "ArrowUp":
    case "ArrowLeft":
      return Math.max(0, position - 1);
    case "ArrowDown":
    case "ArrowRight":
      return Math.min(last, position + 1);
    case "Home":
      return 0;
    case "End":
      return last;
  }
  return null;
}
