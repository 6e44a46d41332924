/** The playlist's way from the first page to a TV. */
import { strict as assert } from "node:assert";
import type { Locator } from "playwright-core";
import type { TestApp } from "../support/app.ts";
import { assertAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { DashboardPage } from "../support/dashboard_page.ts";
import { type M3u, parseM3u } from "../support/m3u.ts";
import { readQrCode } from "../support/qr.ts";
import { same, until } from "../support/same.ts";
import { type UiOptions, type UiTest, uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";

interface PlaylistTest extends UiTest {
  dashboard: DashboardPage;
  dialog: Locator;
  address: Locator;
  guide: Locator;
  qr: Locator;
  button(name: string): Locator;
}

const STREAMS = [
  { name: "Alpha", group: "Walls" },
  { name: "Bravo", group: "Departures & more" },
  { name: "Charlie", group: "walls" },
];

/** A test that begins on the dashboard. */
function boardTest(
  name: string,
  test: (ui: PlaylistTest) => Promise<void>,
  options: UiOptions = {},
): void {
  uiTest(name, async (ui) => {
    const { page, url } = ui;
    const dashboard = new DashboardPage(page, url);
    await dashboard.open();
    const dialog = dashboard.dialog("Playlist for TVs and apps");
    await test({
      ...ui,
      dashboard,
      dialog,
      address: page.getByLabel("Playlist address", { exact: true }),
      guide: dialog.getByLabel("Programme guide"),
      qr: page.getByRole("img", { name: "QR code of the playlist's address" }),
      button: (name) => dialog.getByRole("button", { name, exact: true }),
    });
  }, { streams: STREAMS, ...options });
}

/** A test that begins in the dialog. */
function dialogTest(name: string, test: (ui: PlaylistTest) => Promise<void>, options: UiOptions = {}): void {
  boardTest(name, async (ui) => {
    await ui.page.getByRole("button", { name: "Playlist", exact: true }).click();
    await ui.qr.waitFor();
    await test(ui);
  }, options);
}

/** The playlist at an address of the service. */
async function read(app: TestApp, address: string): Promise<M3u> {
  return parseM3u(await (await app.fetch(address)).text());
}

const names = ({ channels }: M3u) => channels.map(({ name }) => name);

boardTest("without a stream the playlist is in the menu, and offers no group", async (ui) => {
  const { url, dashboard, dialog, address, qr } = ui;
  await dashboard.choosePage("Playlist…");
  await qr.waitFor();
  await same(() => address.inputValue(), `${url}/playlist.m3u`);
  await same(() => dialog.getByLabel("Channels").count(), 0);
}, { streams: [] });

dialogTest("the address can be scanned, and leads to the channels and their guide", async (ui) => {
  const { app, url, dialog, address, guide, qr } = ui;
  const scanned = await readQrCode(qr);
  assert.equal(scanned, `${url}/playlist.m3u`);
  await same(() => address.inputValue(), scanned);
  const playlist = await read(app, scanned);
  assert.deepEqual(names(playlist), ["Alpha", "Bravo", "Charlie"]);
  await same(() => guide.inputValue(), playlist.header["x-tvg-url"]);
  await same(() => dialog.getByLabel("Tuner (HDHomeRun)").inputValue(), `${url}/hdhr`);
  const transport = await dialog.getByLabel("Playlist of MPEG-TS").inputValue();
  const channels = (await read(app, transport)).channels.map(({ url }) => new URL(url).pathname);
  assert.deepEqual(channels, ["/api/ts/alpha", "/api/ts/bravo", "/api/ts/charlie"]);
});

dialogTest("an address that other devices cannot use says so", async ({ dialog }) => {
  // a test's browser sits on the same machine
  await dialog.getByText("works on this computer only").waitFor();
});

dialogTest("one group can be chosen, and the QR code follows", async ({ app, dialog, address, qr }) => {
  const channels = dialog.getByLabel("Channels");
  const offered = await channels.locator("option").allTextContents();
  assert.deepEqual(offered, ["All groups", "Departures & more", "walls"]);
  const groups = { walls: ["Alpha", "Charlie"], "Departures & more": ["Bravo"] };
  for (const [group, expected] of Object.entries(groups)) {
    await channels.selectOption(group);
    const chosen = new URL(await address.inputValue());
    assert.equal(chosen.searchParams.get("group"), group);
    await until("the QR code to follow", async () => await readQrCode(qr) === chosen.href);
    assert.deepEqual(names(await read(app, chosen.href)), expected);
  }
});

const CLIPBOARD = { context: { permissions: ["clipboard-read", "clipboard-write"] } };

dialogTest("an address is copied, which its button says for a while", async (ui) => {
  const { page, url, dialog, button } = ui;
  await page.clock.install();
  const { width } = (await button("Copy Playlist address").boundingBox())!;
  await button("Copy Playlist address").click();
  await button("Copied Playlist address").waitFor();
  const box = await button("Copied Playlist address").boundingBox();
  assert.equal(box!.width, width, "the button keeps its size");
  await dialog.getByRole("status").getByText("Playlist address is copied.").waitFor({ state: "attached" });
  await same(() => page.evaluate(() => navigator.clipboard.readText()), `${url}/playlist.m3u`);
  await page.clock.fastForward(3000);
  await button("Copy Playlist address").waitFor();
}, CLIPBOARD);

inSoak(dialogTest)("an address is selected where it can only be copied by hand", async (ui) => {
  const { page, url, dialog, button } = ui;
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
    document.execCommand = () => false;
  });
  await button("Copy Programme guide (XMLTV)").click();
  await dialog.getByText("It is selected").waitFor();
  const selected = await page.evaluate(() => {
    const { value, selectionStart, selectionEnd } = document.activeElement as HTMLInputElement;
    return value.slice(selectionStart!, selectionEnd!);
  });
  assert.equal(selected, `${url}/epg.xml`);
});

boardTest("a new order of the cards keeps the numbers until somebody numbers by it", async (ui) => {
  const { app, page, dashboard, dialog, button } = ui;
  const listed = async () =>
    (await read(app, "/playlist.m3u")).channels.map(({ name, attributes }) =>
      `${attributes["tvg-chno"]} ${name}`
    ).join();
  await same(listed, "1 Alpha,2 Bravo,3 Charlie");
  await dashboard.choose("Charlie", "Move to top");
  await same(listed, "3 Charlie,2 Bravo,1 Alpha");
  await page.getByRole("button", { name: "Playlist", exact: true }).click();
  await dialog.getByText("Channel numbers", { exact: true }).click();
  await button("Number by the order of the cards").click();
  await button("Keep the numbers").click();
  await button("Number by the order of the cards").click();
  await dashboard.screenshot("channel-numbers");
  await button("Number anew").click();
  await dialog.getByText("The numbers follow the order of the cards.").waitFor();
  assert.equal(await listed(), "1 Charlie,2 Bravo,3 Alpha");
});

boardTest("the dialog is opened and closed by keyboard, with the focus kept", async (ui) => {
  const { page, dashboard, dialog, qr } = ui;
  await dashboard.tabTo("Playlist");
  await page.keyboard.press("Enter");
  await qr.waitFor();
  await same(() => dashboard.focusedText(), /^Copy/);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await same(() => dashboard.focusedText(), "Playlist");
});

boardTest(
  `the playlist's dialog fits a phone, for everyone`,
  async (ui) => {
    const { page, dashboard, dialog, qr, layoutShift } = ui;
    await dashboard.screenshot(`playlist-board-phone-light`);
    await same(() => dashboard.overflow(), 0);
    await page.getByRole("button", { name: "Playlist", exact: true }).click();
    await qr.waitFor();
    await dashboard.screenshot(`playlist-phone-light`);
    await dialog.getByText("How to add it").click();
    await dialog.getByText("Kodi", { exact: true }).waitFor();
    await dialog.getByText("Jellyfin", { exact: true }).scrollIntoViewIfNeeded();
    await dashboard.screenshot(`playlist-help-phone-light`);
    await assertAccessible(page, `the playlist's dialog on a phone-light`, "dialog");
    const { x, y, width, height } = (await dialog.boundingBox())!;
    assert.ok(x >= 0 && y >= 0 && x + width <= SIZES.phone.width && y + height <= SIZES.phone.height);
    assert.equal(await layoutShift(), 0);
  },
  { context: { viewport: SIZES.phone, colorScheme: "light" } },
);
