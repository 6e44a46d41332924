/** Access for apps in the playlist's dialog: an address of its own for each, shown once, revoked at any time. */
import { strict as assert } from "node:assert";
import type { Locator } from "playwright-core";
import { sessionCookie } from "../support/app.ts";
import { parseM3u } from "../support/m3u.ts";
import { readQrCode } from "../support/qr.ts";
import { same, until } from "../support/same.ts";
import { type UiOptions, type UiTest, uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";

interface AccessUi extends UiTest {
  dialog: Locator;
  /** The form for a new address. */
  form: Locator;
  /** The addresses there are. */
  rows: Locator;
  button(name: string): Locator;
  /** Makes an address for everything. @returns it. */
  create(name: string): Promise<string>;
}

const STREAMS = [
  { name: "Alpha", group: "Walls" },
  { name: "Bravo", group: "Lobby" },
  { name: "Charlie", group: "walls" },
];

/** A test that begins in the dialog, with the section unfolded. */
function accessTest(name: string, test: (ui: AccessUi) => Promise<void>, options: UiOptions = {}): void {
  uiTest(name, async (ui) => {
    await ui.dashboard.open();
    await ui.dashboard.choosePage("Playlist…");
    const dialog = ui.dashboard.dialog("Playlist for TVs and apps");
    await dialog.getByText("Access for apps").click();
    const button = (name: string) => dialog.getByRole("button", { name });
    await button("New address for an app").waitFor();
    const access: AccessUi = {
      ...ui,
      dialog,
      form: dialog.getByRole("form", { name: "New address for an app" }),
      rows: dialog.locator(".access-list li"),
      button,
      create: async (name) => {
        await button("New address for an app").click();
        await dialog.getByLabel("For which app or device?").fill(name);
        await button("Create address").click();
        await dialog.getByRole("heading", { name: `The address for “${name}”` }).waitFor();
        return await dialog.locator("#access-address").inputValue();
      },
    };
    await test(access);
  }, { streams: STREAMS, ...options });
}

/** The channels that an address lists; null if it lists none. */
async function channels({ app }: UiTest, address: string): Promise<string[] | null> {
  const answer = await app.fetch(address);
  const bytes = await answer.bytes();
  return answer.ok ? parseM3u(bytes).channels.map(({ name }) => name) : null;
}

accessTest("a new address is shown once, to copy and to scan, and plays", async (ui) => {
  const { url, dialog, dashboard, rows, page } = ui;
  await dialog.getByText("No app has its own address yet.").waitFor();
  const address = await ui.create("Living room TV");
  assert.match(address, new RegExp(`^${url}/t/[\\w-]{22}/playlist\\.m3u$`));
  await until(
    "the address to be ready to copy",
    async () => /^Copy/.test(await dashboard.focusedText()),
  );
  const qr = dialog.getByRole("img", { name: "QR code of the address for “Living room TV”" });
  assert.equal(await readQrCode(qr), address);
  await dialog.getByText("This address is not shown again.").waitFor();
  assert.deepEqual(await channels(ui, address), ["Alpha", "Bravo", "Charlie"]);
  await same(
    async () => (await rows.innerText()).replace(/\s+/g, " "),
    /Living room TV All streams · no end · not used yet/,
  );
  await page.keyboard.press("Escape");
  await dashboard.choosePage("Playlist…");
  await dialog.getByText("Access for apps").click();
  await rows.getByText("Living room TV", { exact: true }).waitFor();
  await same(() => rows.innerText(), /used within the last 20 min/);
  assert.ok(!(await page.content()).includes(address.split("/")[4]), "never again");
});

inSoak(accessTest)("an address can be for a group or some streams, and for a time", async (ui) => {
  const { dialog, button, rows } = ui;
  await button("New address for an app").click();
  await dialog.getByLabel("For which app or device?").fill("Lobby");
  await dialog.getByLabel("For how long?").selectOption("30 days");
  await dialog.getByText("One group").click();
  await dialog.getByLabel("Group", { exact: true }).selectOption("walls");
  await button("Create address").click();
  const address = dialog.locator("#access-address");
  await address.waitFor();
  await same(async () => channels(ui, await address.inputValue()), ["Alpha", "Charlie"]);
  await button("New address for an app").click();
  await dialog.getByLabel("For which app or device?").fill("Bar");
  await dialog.getByText("Some streams").click();
  await dialog.getByLabel("Bravo").check();
  await button("Create address").click();
  await dialog.getByRole("heading", { name: "The address for “Bar”" }).waitFor();
  await same(async () => channels(ui, await address.inputValue()), ["Bravo"]);
  const texts = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
  const end = new Date(ui.app.machine.now() + 30 * 86_400_000).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
  });
  assert.ok(texts[0].startsWith(`Lobby Group “walls” · until ${end} · `), texts[0]);
  assert.ok(texts[1].startsWith("Bar Bravo · no end · "), texts[1]);
});

accessTest("revoking asks first, ends access, and the focus stays in the dialog", async (ui) => {
  const { dialog, page, rows, button, dashboard } = ui;
  const address = await ui.create("Guest");
  await button("Revoke the access of Guest").click();
  const question = page.getByRole("alertdialog", { name: "Revoke this access?" });
  await question.getByRole("button", { name: "Keep it" }).click();
  assert.ok(await channels(ui, address));
  await button("Revoke the access of Guest").click();
  await question.getByRole("button", { name: "Revoke", exact: true }).click();
  await question.waitFor({ state: "hidden" });
  assert.equal(await channels(ui, address), null);
  await same(() => rows.count(), 0);
  await dialog.getByText("No app has its own address yet.").waitFor();
  await same(() => dialog.locator("#access-address").count(), 0, "a dead address is not offered");
  await until(
    "the focus to come back",
    async () => (await dashboard.focusedText()).trim() === "New address for an app",
  );
});

uiTest("with a login on, the dialog offers addresses with a token alone", async (ui) => {
  const { app, page, dashboard, url } = ui;
  const [name, value] = sessionCookie(app.service).split("=");
  await page.context().addCookies([{ name, value, url }]);
  await dashboard.open();
  await dashboard.choosePage("Playlist…");
  const dialog = dashboard.dialog("Playlist for TVs and apps");
  await dialog.getByText("Apps cannot use the login page.").waitFor();
  await dialog.getByText("No app has its own address yet.").waitFor();
  await same(() => dialog.getByLabel("Playlist address").count(), 0);
  await dialog.getByRole("button", { name: "New address for an app" }).click();
  await dialog.getByLabel("For which app or device?").fill("TV");
  await dialog.getByRole("button", { name: "Create address" }).click();
  const address = await dialog.locator("#access-address").inputValue();
  assert.equal((await app.fetch("/playlist.m3u")).status, 401);
  assert.deepEqual(await channels(ui, address), []);
  const base = address.replace("/playlist.m3u", "");
  await same(() => dialog.getByLabel("Tuner (HDHomeRun)").inputValue(), `${base}/hdhr`);
  await same(() => dialog.getByLabel("Programme guide (XMLTV)").inputValue(), `${base}/epg.xml`);
  const transport = await dialog.getByLabel("Playlist of MPEG-TS").inputValue();
  assert.equal(transport, `${address}?format=ts`);
  assert.deepEqual(await channels(ui, transport), []);
  await dashboard.screenshot("access-login");
}, { env: { AUTH_USER: "anna", AUTH_PASS: "secret" }, context: {} });
