/** axe-core in a page: https://github.com/dequelabs/axe-core */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";

const AXE = await Deno.readTextFile(new URL(import.meta.resolve("axe-core")));

interface Finding {
  id: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What of axe's rules depends on colours. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/**
 * Fails with every rule that the page as it is now breaks, and where. All rules of axe but its experiments.
 * @param part a selector, for what has come up before a page that was looked at already.
 * @param rules instead of all.
 */
export async function assertAccessible(
  page: Page,
  state: string,
  part = "html",
  rules?: string[],
): Promise<void> {
  // By the debugger, which the content policy does not concern: the page stays as its visitors get it.
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(AXE);
  const { violations, passes } = await page.evaluate(async ([part, rules]) => {
    const { axe } = globalThis as unknown as {
      axe: { run(part: string, options: unknown): Promise<{ violations: Finding[]; passes: unknown[] }> };
    };
    // what is half faded in has colours that nobody reads
    const fades = document.getAnimations().filter(({ effect }) =>
      effect?.getComputedTiming().endTime !== Infinity
    );
    await Promise.allSettled(fades.map(({ finished }) => finished));
    // axe knows no top layer: it would take what is below for what is in front, and judge no contrast
    const alone = new CSSStyleSheet();
    alone.replaceSync(
      `:where(body *) { visibility: hidden } :where(${part}, ${part} *) { visibility: visible }`,
    );
    document.adoptedStyleSheets.push(alone);
    const found = await axe.run(part, rules ? { runOnly: rules } : {});
    document.adoptedStyleSheets.pop();
    return found;
  }, [part, rules] as const);
  assert.ok(passes.length > (rules ? 0 : 5), `axe looked at ${state}`);
  const text = violations.map(({ id, help, nodes }) =>
    `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join("\n")}`
  );
  assert.equal(violations.length, 0, `axe found on ${state}:\n${text.join("\n")}`);
}

/** As `assertAccessible`, in the dark theme and, which differs in nothing but its colours, the light one. */
export async function assertBothAccessible(page: Page, state: string, part?: string): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  await assertAccessible(page, `${state} (dark)`, part);
  await page.emulateMedia({ colorScheme: "light" });
  await assertAccessible(page, `${state} (light)`, part, COLOUR_RULES);
}
