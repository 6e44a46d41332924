/** Fingers on a phone: what can be touched has 44 px, and nothing lies over it. */
import type { Page } from "playwright-core";
import { SIZES } from "../support/browser.ts";
import { FormPage } from "../support/form_page.ts";
import { openWall, WALL } from "../support/wall.ts";
import { type UiOptions, uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";
import { same } from "../support/same.ts";

const PHONE: UiOptions["context"] = {
  viewport: SIZES.phone,
  hasTouch: true,
  isMobile: true,
  reducedMotion: "reduce",
};

/**
 * Controls whose middle 44 px square is not theirs, by where a finger's touch goes. Links in a sentence are as high as
 * their line (WCAG 2.2, 2.5.8 and 2.5.5); what the page has to itself for now is `root`.
 */
function tooSmall(page: Page, root = "body"): Promise<string[]> {
  return page.evaluate((root) => {
    const HALF = 21.5;
    const isInSentence = (element: Element) =>
      getComputedStyle(element).display === "inline" && element.closest("p, dd, li, label, td") !== null;
    const controls = [
      ...document.querySelectorAll<HTMLElement>(
        `${root} :is(a[href], button, input, select, textarea, summary, [role=tab])`,
      ),
    ];
    const problems: string[] = [];
    for (const control of controls) {
      const label = (control as HTMLInputElement).labels?.[0];
      const target = /^(radio|checkbox)$/.test((control as HTMLInputElement).type) && label ? label : control;
      if (target.getClientRects().length === 0 || !target.checkVisibility({ visibilityProperty: true })) {
        continue;
      }
      if (isInSentence(target) || getComputedStyle(target).pointerEvents === "none") continue;
      target.scrollIntoView({ block: "center", inline: "center" });
      const { left, right, top, bottom } = target.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      // the link to the content is out of sight until it has the focus
      if (y < 0) continue;
      const isIts = (dx: number, dy: number) => {
        const hit = document.elementFromPoint(x + dx, y + dy);
        return hit !== null && (target.contains(hit) || control.contains(hit));
      };
      // a pointed at part may reach further to one side
      const reach = (dx: number, dy: number) => {
        let length = 0;
        while (length <= 2 * HALF && isIts(dx * length, dy * length)) length++;
        return length - 1;
      };
      const width = reach(-1, 0) + reach(1, 0);
      const height = reach(0, -1) + reach(0, 1);
      if (width >= 2 * HALF - 1 && height >= 2 * HALF - 1) continue;
      const name = control.getAttribute("aria-label") ?? (control.textContent || control.id);
      problems.push(
        `${control.tagName} ${control.className} "${name.trim().slice(0, 40)}": ${width} x ${height}`,
      );
    }
    scrollTo(0, 0);
    return problems;
  }, root);
}

uiTest("a phone's board has targets of 44 px, in whatever state its cards are", async (ui) => {
  const { page, dashboard } = ui;
  await openWall(ui, 9);
  await same(() => tooSmall(page), []);
  await dashboard.screenshot("board-phone");
  await page.getByRole("checkbox", { name: "Select Wall 0" }).press("Space");
  await page.getByRole("toolbar").waitFor();
  await same(() => tooSmall(page), [], "while cards are selected");
}, { ...WALL, context: PHONE });

inSoak(uiTest)("a phone's dialogs have targets of 44 px", async ({ page, dashboard }) => {
  await dashboard.open();
  const form = new FormPage(page, dashboard);
  await form.add();
  await form.unfold();
  await same(() => tooSmall(page, "dialog"), [], "the form");
  await dashboard.press("Escape");
  await form.dialog.waitFor({ state: "detached" });
  await dashboard.share("Clock");
  await same(() => tooSmall(page, "dialog"), [], "Share");
  await dashboard.press("Escape");
  for (const item of ["Settings", "Playlist", "Backup"]) {
    await dashboard.choosePage(item);
    await page.getByRole("dialog").waitFor();
    await same(() => tooSmall(page, "dialog"), [], item);
    await dashboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
}, { context: PHONE, streams: [{ name: "Clock" }] });

inSoak(uiTest)("a phone's other pages have targets of 44 px", async ({ page, url }) => {
  for (const path of ["/streams/clock/log", "/streams/clock/log?program=browser", "/vnc/clock", "/none"]) {
    await page.goto(url + path);
    await same(() => tooSmall(page), [], path);
  }
  await page.goto(`${url}/static/clock`);
  await page.locator("body.is-active").waitFor();
  await same(() => tooSmall(page), [], "the player");
}, { context: PHONE, streams: [{ name: "Clock" }], mayLog: /404|502|Failed to load/ });
