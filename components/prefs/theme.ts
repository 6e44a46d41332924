import type { GlobalPrefs } from "./prefs.ts";

/** The colours of the browser's own bars beside the page: the page's ground, as in components/ui/palette.css. */
export const THEME_COLOURS = { dark: "#0b0f15", light: "#f3f5f9" } as const;

/** Shows the card size and theme on `<html>`, as the inline script of every page does before the first paint. */
export function applyTheme({ cardSize, theme }: Pick<GlobalPrefs, "cardSize" | "theme">): void {
  const { dataset } = document.documentElement;
  dataset.size = cardSize;
  if (theme === "auto") delete dataset.theme;
  else dataset.theme = theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")) {
    const system = meta.media.includes("dark") ? "dark" : "light";
    meta.content = THEME_COLOURS[theme === "auto" ? system : theme];
  }
}
