/** axe-core in a page: https://github.com/dequelabs/axe-core */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";

const AXE = await Deno.readTextFile(new URL(import.meta.resolve("axe-core")));

interface Finding {
  id: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * Fails with every rule that the page as it is now breaks, and where. All rules of axe but its experiments.
 * @param part a selector, for what has come up before a page that was looked at already.
 */
export async function assertAccessible(page: Page, state: string, part = "html"): Promise<void> {
  // By the debugger, which the content policy does not concern: the page stays as its visitors get it.
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(AXE);
  const { violations, passes } = await page.evaluate((part) => {
    const { axe } = globalThis as unknown as {
      axe: { run(part: string): Promise<{ violations: Finding[]; passes: unknown[] }> };
    };
    return axe.run(part);
  }, part);
  assert.ok(passes.length > 5, `axe looked at ${state}`);
  const text = violations.map(({ id, help, nodes }) =>
    `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join("\n")}`
  );
  assert.equal(violations.length, 0, `axe found on ${state}:\n${text.join("\n")}`);
}
