/** Makes the style sheets of static/ from the style sheets that lie beside the components. */
import { transform } from "esbuild";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname!, "..");

/** The sources of the style sheets, by the address that pages load. */
export const STYLE_SHEETS: Record<string, string> = {
  "styles.css": "components/styles.css",
  "vnc.css": "components/vnc/vnc.css",
  "player.css": "player/player.css",
  "wall.css": "player/wall/wall.css",
};

const PALETTE = "components/ui/palette.css";

/** A style sheet with the files it imports in their place, and with the light palette for both of its conditions. */
export async function joinStyles(path: string): Promise<string> {
  const css = await inlineImports(join(root, path));
  return path.startsWith("player/") ? await withDarkColours(css) : withSystemTheme(css);
}

/**
 * The style sheet without blanks and comments. Nothing else is made shorter: no notation that old televisions do not
 * know may come from a notation that they know.
 */
export async function shortStyles(css: string): Promise<string> {
  return (await transform(css, { loader: "css", minifyWhitespace: true })).code;
}

async function inlineImports(path: string): Promise<string> {
  const css = await Deno.readTextFile(path);
  const parts = css.split(/^@import "(.+)";\n/m);
  const inlined = parts.map((part, at) => at % 2 === 1 ? inlineImports(join(dirname(path), part)) : part);
  return (await Promise.all(inlined)).join("");
}

/** The players are dark, and older televisions know no variables: the dark palette's values stand in their place. */
async function withDarkColours(css: string): Promise<string> {
  const [dark] = (await Deno.readTextFile(join(root, PALETTE))).split("}", 1);
  return css.replace(/var\(--([a-z-]+)\)/g, (_, name) => {
    const value = dark.match(new RegExp(`--${name}: (.+);`))?.[1];
    if (value === undefined) throw new Error(`${PALETTE} has no --${name}`);
    return value;
  });
}

/** CSS cannot join a media query and a selector by "or", so the rule of the light palette is needed twice. */
function withSystemTheme(css: string): string {
  return css.replace(
    /^:root\[data-theme="light"\] (\{[^}]*\})\n/m,
    (chosen, palette) =>
      `${chosen}\n@media (prefers-color-scheme: light) {\n:root:not([data-theme="dark"]) ${palette}\n}\n`,
  );
}
