import type { GlobalPrefs } from "./prefs.ts";

/** Shows the card size and theme on `<html>`, as lib/http/first_paint.ts does before the first paint. */
export function applyLook({ cardSize, theme }: Pick<GlobalPrefs, "cardSize" | "theme">): void {
  const { dataset } = document.documentElement;
  dataset.size = cardSize;
  if (theme === "auto") delete dataset.theme;
  else dataset.theme = theme;
}
