/** The people who log in, in an admin's browser; and what a viewer sees. */
import type { Page } from "playwright-core";
import { assertBothAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { takePicture } from "../support/pictures.ts";
import { same } from "../support/same.ts";
import { uiTest } from "../support/ui.ts";

const PASSWORD = "correct horse battery";

async function logIn(page: Page, name: string): Promise<void> {
  await page.getByLabel("User name").fill(name);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
}

async function add(page: Page, name: string, role: string, again = PASSWORD): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("combobox", { name: "Role", exact: true }).selectOption(role);
  await page.getByLabel("Password, 8 characters or more").fill(PASSWORD);
  await page.getByLabel("The same password again").fill(again);
  await page.getByRole("button", { name: "Add", exact: true }).click();
}

uiTest(
  "the first admin turns the login on, adds people and changes them; a viewer sees no button of others",
  async ({ page, url }) => {
    await page.goto(url);
    await page.getByRole("navigation").getByRole("link", { name: "People" }).click();
    await page.getByText("There is no login").waitFor();
    await takePicture(page, "people-empty");
    await add(page, "cleo", "admin", "correct horse");
    await page.getByRole("alert").filter({ hasText: "The passwords differ" }).waitFor();
    await page.getByText("There is no login").waitFor();
    await add(page, "cleo", "admin");
    await page.getByRole("status").filter({ hasText: "cleo is an admin. From now on everybody logs in." })
      .waitFor();
    await page.getByText("cleo you").waitFor();
    await page.goto(url);
    await page.getByRole("button", { name: "Add stream" }).waitFor();
    await page.goto(new URL("/people", url).href);
    await add(page, "vera", "operator");
    await page.getByRole("status").filter({ hasText: "vera was added as an operator." }).waitFor();
    await add(page, "Vera", "viewer");
    await page.getByRole("alert").filter({ hasText: 'There is a user "vera" already' }).waitFor();
    await same(() => page.getByLabel("Name", { exact: true }).inputValue(), "Vera", "nothing is lost");
    for (const [name, size] of Object.entries(SIZES)) {
      await page.setViewportSize(size);
      await takePicture(page, `people-${name}`);
      if (name === "phone") await assertBothAccessible(page, "people");
    }
    await page.locator("summary").filter({ hasText: "vera" }).click();
    await page.getByLabel("Role: vera", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Change role: vera" }).click();
    await page.getByText("vera is now a viewer.").waitFor();
    await page.locator("summary").filter({ hasText: "cleo" }).click();
    await takePicture(page, "people-change");
    await page.getByLabel("Remove… cleo").click();
    await page.getByRole("button", { name: "Remove cleo" }).click();
    await page.getByRole("alert").filter({ hasText: "This is the last admin" }).waitFor();
    await page.context().clearCookies();
    await page.goto(url);
    await logIn(page, "vera");
    await page.getByRole("link", { name: "Play: Clock" }).waitFor();
    for (const name of ["Add stream", "Start Clock", "Stop Clock"]) {
      await same(() => page.getByRole("button", { name }).count(), 0, name);
    }
    await same(() => page.getByRole("link", { name: "VNC: Clock" }).count(), 0);
    await same(() => page.getByRole("textbox", { name: "Page address" }).count(), 0);
    await page.locator("#stream-clock .card-state").click({ modifiers: ["Shift"] });
    await same(() => page.getByRole("toolbar", { name: "Selected streams" }).count(), 0);
    await same(() => page.locator(".grip:visible").count(), 0);
    // the past is the operators', but for a stream that says otherwise
    for (const [name, address] of [["Clock", "/streams/clock"], ["Wall", "/streams/wall/rewind?at="]]) {
      const day = page.getByRole("link", { name: new RegExp(`^Last 24 hours.*: ${name}$`) });
      await day.hover();
      await page.getByRole("tooltip").waitFor();
      await same(async () => (await day.getAttribute("href"))!.replace(/=.*/, "="), address);
    }
    await page.getByRole("button", { name: "More for Clock" }).click();
    await same(
      async () => (await page.getByRole("menuitem").allTextContents()).join(),
      "Share…,Refresh thumbnail",
    );
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("menuitem", { name: "Settings…" }).waitFor();
    await same(() => page.getByRole("menuitem", { name: "Backup…" }).count(), 0);
    await page.keyboard.press("Escape");
    const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
    await same(() => links.allTextContents(), ["Streams", "Walls", "Incidents"]);
    await takePicture(page, "board-viewer");
  },
  {
    context: { reducedMotion: "reduce" },
    streams: [{ name: "Clock" }, { name: "Wall", rewindFor: "viewers" }],
    mayLog: /409/,
  },
);
