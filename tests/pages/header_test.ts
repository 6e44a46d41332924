/** The header of every page: where each role can go from it, who one is, and how it fits on each screen. */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { type Role, ROLES } from "../../lib/role.ts";
import { assertBothAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { memberBeside } from "../support/cluster_member.ts";
import { takePicture } from "../support/pictures.ts";
import { same } from "../support/same.ts";
import { type UiTest, uiTest } from "../support/ui.ts";

const PASSWORD = "correct horse battery";
const WEB_OS =
  "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0 Safari/537.36";

/** The links of each role, and the pages that have the header, with the link that is the present one. */
const LINKS: Record<Role, string[]> = {
  viewer: ["Streams", "Walls", "Incidents"],
  operator: ["Streams", "Walls", "Incidents", "Nodes"],
  admin: ["Streams", "Walls", "Incidents", "Messages", "People", "Nodes"],
};
const PAGES: Record<string, [least: Role, current: string]> = {
  "/": ["viewer", "Streams"],
  "/wall": ["viewer", "Walls"],
  "/incidents": ["viewer", "Incidents"],
  "/password": ["viewer", ""],
  "/streams/clock": ["viewer", "Streams"],
  "/streams/clock/log": ["operator", "Streams"],
  "/streams/clock/rewind": ["operator", "Streams"],
  "/nodes": ["operator", "Nodes"],
  "/messages": ["admin", "Messages"],
  "/people": ["admin", "People"],
};

const links = (page: Page) => page.getByRole("navigation", { name: "Pages" }).getByRole("link");
const who = (page: Page) => page.getByRole("banner").getByRole("button", { name: /viewer|operator|admin/ });

/** Adds a person of each role, named as on a long day. */
async function addPeople({ app }: UiTest): Promise<void> {
  for (const role of ROLES.toReversed()) {
    await app.service.login.users.add({ name: `anna-${role}`, role, password: PASSWORD });
  }
}

async function logIn(page: Page, url: string, role: Role): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`${url}/login`);
  await page.getByLabel("User name").fill(`anna-${role}`);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await who(page).waitFor();
}

/** What of the header is cut, lies over another part, or makes the page wider than its window. */
function misfits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const parts = [...document.querySelectorAll<HTMLElement>(".bar > :is(a, button), .bar nav a")]
      .filter((one) => one.offsetParent !== null);
    const boxes = parts.map((one) => one.getBoundingClientRect());
    const found = scrollWidth > clientWidth ? [`the page is ${scrollWidth} px wide`] : [];
    for (const [at, { left, right, top, bottom }] of boxes.entries()) {
      const { textContent, scrollWidth, clientWidth } = parts[at];
      if (left < 0 || right > innerWidth + 0.5) found.push(`${textContent} is outside`);
      if (scrollWidth > clientWidth + 1) found.push(`${textContent} is cut`);
      for (const other of boxes.slice(0, at)) {
        const isOver = left < other.right - 1 && other.left < right - 1 && top < other.bottom - 1 &&
          other.top < bottom - 1;
        if (isOver) found.push(`${textContent} lies over another part`);
      }
    }
    const { height } = document.querySelector(".bar")!.getBoundingClientRect();
    if (height > 2 * 56) found.push(`the header is ${height} px high`);
    return found;
  });
}

for (const role of ROLES) {
  uiTest(
    `each page says a ${role} where to go and who is there, in every size`,
    async (ui) => {
      const { app, page, url } = ui;
      await same(() => app.service.placement.nodes().map(({ name }) => name), ["wall-a", "wall-b"]);
      await app.create({ name: "Clock", desiredState: "stopped" });
      await addPeople(ui);
      await logIn(page, url, role);
      const mayOpen = Object.entries(PAGES).filter(([, [least]]) =>
        ROLES.indexOf(role) >= ROLES.indexOf(least)
      );
      for (const [path, [, current]] of mayOpen) {
        await page.goto(url + path);
        await same(() => links(page).allTextContents(), LINKS[role], path);
        const present = page.getByRole("banner").locator("[aria-current]");
        await same(() => present.allTextContents(), current ? [current] : [], path);
        await same(async () => (await who(page).innerText()).replaceAll(/\s+/g, " "), `anna-${role} ${role}`);
        const name = path.slice(1).replaceAll("/", "-") || "board";
        for (const width of [320, 390, 1440, 1920]) {
          await page.setViewportSize({ width, height: width < 400 ? 844 : 900 });
          await same(() => misfits(page), [], `${path} at ${width} px`);
          if (role === "admin") await takePicture(page, `header-${name}-${width}`);
        }
        await page.setViewportSize(SIZES.desktop);
      }
      await assertBothAccessible(page, "the header", "header");
    },
    {
      membership: await memberBeside("wall-b", 0),
      context: { reducedMotion: "reduce" },
      mayLog: /404/,
    },
  );
}
