import { strict as assert } from "node:assert";
import { globSync } from "node:fs";
import { THEME_COLOURS } from "../../components/prefs/theme.ts";
import { joinStyles, STYLE_SHEETS } from "../../scripts/styles.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const css = await joinStyles(STYLE_SHEETS["styles.css"]);

/** The declarations of the first rule with this selector. */
function rule(selector: string): Map<string, string> {
  const at = css.indexOf(`${selector} {`);
  assert.ok(at >= 0, `no rule ${selector}`);
  const body = css.slice(css.indexOf("{", at) + 1, css.indexOf("}", at));
  const lines = body.split(";").map((line) => line.trim()).filter(Boolean);
  return new Map(lines.map((line) => line.split(/:\s*/, 2) as [string, string]));
}

const dark = rule(":root");
const light = rule(':root[data-theme="light"]');

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const luminance = (hex: string) => {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

Deno.test("the browser's bars have the colour of the page", () => {
  assert.equal(dark.get("--ground"), THEME_COLOURS.dark);
  assert.equal(light.get("--ground"), THEME_COLOURS.light);
});

Deno.test("the light palette also holds for a light system, unless the viewer chose dark", () => {
  const media = css.slice(css.indexOf("@media (prefers-color-scheme: light) {"));
  assert.match(media, /^@media [^{]*\{\s*:root:not\(\[data-theme="dark"\]\) \{\s*--ground: #f3f5f9;/);
});

Deno.test("every style sheet beside a component is in one that pages load", async () => {
  const joined = (await Promise.all(Object.values(STYLE_SHEETS).map(joinStyles))).join("");
  assert.doesNotMatch(joined, /@import/);
  for (const path of globSync("{components,islands,player}/**/*.css", { cwd: ROOT })) {
    const start = (await Deno.readTextFile(`${ROOT}${path}`)).slice(0, 60);
    assert.equal(joined.split(start).length, 2, path);
  }
});

Deno.test("colours are the palette's; black and white may be said by their names", async () => {
  for (const path of globSync("{components,islands,player}/**/*.css", { cwd: ROOT })) {
    if (path === "components/ui/palette.css") continue;
    const literals = (await Deno.readTextFile(`${ROOT}${path}`)).match(/#[0-9a-f]{3,8}(?=[;\s])/gi) ?? [];
    assert.deepEqual(literals.filter((literal) => literal !== "#000" && literal !== "#fff"), [], path);
  }
});

Deno.test("older televisions get colours, and no variables", async () => {
  for (const sheet of ["player.css", "wall.css"]) {
    const player = await joinStyles(STYLE_SHEETS[sheet]);
    assert.doesNotMatch(player, /var\(/, sheet);
    assert.match(player, new RegExp(`color: ${dark.get("--text")};`), sheet);
  }
});

Deno.test("both themes: text has AA contrast on every ground, edges of controls 3 to 1", () => {
  const states = ["stopped", "starting", "running", "degraded", "failed"];
  const texts = ["text", "muted", "accent", "problem", ...states];
  for (const [name, theme] of [["dark", dark], ["light", light]] as const) {
    const colour = (part: string) => theme.get(`--${part}`)!;
    for (const ground of ["ground", "panel"]) {
      for (const text of texts) {
        const ratio = contrast(colour(text), colour(ground));
        assert.ok(ratio >= 4.5, `${name}: ${text} on ${ground} has ${ratio.toFixed(2)}`);
      }
      const edge = contrast(colour("edge"), colour(ground));
      assert.ok(edge >= 3, `${name}: edge on ${ground} has ${edge.toFixed(2)}`);
    }
    const pairs = [
      ["text", "raised"],
      ["muted", "raised"],
      ["text", "hover"],
      ["failed", "raised"],
      ["on-accent", "accent"],
      ["on-accent", "accent-hover"],
      ["accent", "tint"],
      ["on-danger", "failed"],
      ["on-danger", "danger-hover"],
    ];
    for (const [front, back] of pairs) {
      const ratio = contrast(colour(front), colour(back));
      assert.ok(ratio >= 4.5, `${name}: ${front} on ${back} has ${ratio.toFixed(2)}`);
    }
  }
});

Deno.test("an empty box is seen as well as a full one", () => {
  assert.match(
    css,
    /\[type="radio"\] \{[^}]*border: 2px solid var\(--edge\);[^}]*background: var\(--ground\);/,
  );
  for (const palette of [dark, light]) {
    assert.ok(contrast(palette.get("--edge")!, palette.get("--ground")!) >= 3);
    assert.ok(contrast(palette.get("--edge")!, palette.get("--panel")!) >= 3);
  }
});
