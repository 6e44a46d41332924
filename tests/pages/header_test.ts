/** The header of every page: where each role can go from it, who one is, and how it fits on each screen. */
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
      if (left < -0.5 || right > innerWidth + 0.5) found.push(`${textContent} is outside`);
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

/** The name of what has the focus, as people read it. */
const focused = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLElement).innerText.replaceAll(/\s+/g, " ").trim());

/** Presses an arrow until something has the focus. */
async function until(page: Page, key: string, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 12 && !name.test(await focused(page)); presses++) {
    await page.keyboard.press(key);
  }
  await same(() => focused(page), name);
}

uiTest(
  "the name opens what is one's own, by keyboard too, fits in each size, and Escape closes it",
  async (ui) => {
    const { page, url, layoutShift } = ui;
    await addPeople(ui);
    await logIn(page, url, "admin");
    const own = page.getByRole("group", { name: "Your login" });
    await who(page).focus();
    await page.keyboard.press("Enter");
    await own.waitFor();
    await page.keyboard.press("Tab");
    await same(() => focused(page), "Password");
    await own.getByText("Log out everywhere…").click();
    await own.getByText("All your browsers, screens and players must log in again").waitFor();
    for (const [name, size] of Object.entries({ ...SIZES, small: { width: 320, height: 480 } })) {
      await page.setViewportSize(size);
      const box = (await own.boundingBox())!;
      const isInside = box.x >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height;
      await same(() => Promise.resolve(isInside), true, `${name}: ${JSON.stringify(box)}`);
      await takePicture(page, `header-who-${name}`);
    }
    await page.emulateMedia({ colorScheme: "dark" });
    await takePicture(page, "header-who-dark");
    await assertBothAccessible(page, "what is one's own", "#who");
    await page.keyboard.press("Escape");
    await own.waitFor({ state: "hidden" });
    await same(() => focused(page), "anna-admin admin");
    await same(() => layoutShift(), 0);
    await who(page).click();
    await own.getByRole("link", { name: "Password" }).click();
    await page.waitForURL(`${url}/password`);
  },
  { context: { reducedMotion: "reduce" }, streams: [{ name: "Clock" }] },
);

uiTest(
  "without JavaScript the header leads on, and logs out",
  async (ui) => {
    const { page, url } = ui;
    await addPeople(ui);
    await logIn(page, url, "viewer");
    await links(page).filter({ hasText: "Walls" }).click();
    await page.waitForURL(`${url}/wall`);
    await same(() => links(page).allTextContents(), LINKS.viewer);
    await who(page).click();
    await page.getByRole("button", { name: "Log out", exact: true }).click();
    await page.getByText("You are logged out.").waitFor();
  },
  { context: { javaScriptEnabled: false }, streams: [{ name: "Clock" }] },
);

uiTest(
  "a television's keys lead through the header of the board and of other pages, and Back closes what is open",
  async (ui) => {
    const { page, url } = ui;
    await addPeople(ui);
    await logIn(page, url, "admin");
    await page.locator("main[data-ready=true]").waitFor();
    const own = page.getByRole("group", { name: "Your login" });
    await page.keyboard.press("ArrowDown");
    await until(page, "ArrowUp", /^(Streams|Walls)$/);
    await until(page, "ArrowRight", /^anna-admin admin$/);
    await page.keyboard.press("Enter");
    await own.waitFor();
    await takePicture(page, "header-tv");
    await until(page, "ArrowDown", /^Password$/);
    await until(page, "ArrowDown", /^Log out$/);
    await page.evaluate(() =>
      document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key: "GoBack", bubbles: true }))
    );
    await own.waitFor({ state: "hidden" });
    await until(page, "ArrowLeft", /^Incidents$/);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${url}/incidents`);
    await page.locator("main[data-ready=true]").waitFor();
    await page.keyboard.press("ArrowDown");
    await until(page, "ArrowUp", /^(Browser Stream|Streams|Walls|Incidents)$/);
    await until(page, "ArrowRight", /^People$/);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${url}/people`);
    await page.waitForFunction(() => document.documentElement.dataset.tv !== undefined);
    await until(page, "ArrowDown", /^anna-admin/);
    await until(page, "ArrowUp", /^People$/);
    await until(page, "ArrowLeft", /^Streams$/);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${url}/`);
  },
  { context: { viewport: SIZES.tv, userAgent: WEB_OS }, streams: [{ name: "Clock" }] },
);
