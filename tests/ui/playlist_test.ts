import { strict as assert } from "node:assert";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { parseM3u } from "../support/m3u.ts";
import { startService, type TestService, until } from "../support/service.ts";
import { launchBrowser, openPage, SIZES, type WatchedPage } from "../support/browser.ts";
import { DashboardPage } from "../support/dashboard_page.ts";
import { readQrCode } from "../support/qr.ts";

const TITLE = "Playlist for TVs and apps";

interface Desk {
  service: TestService;
  browser: Browser;
}

interface Open {
  page: Page;
  dashboard: DashboardPage;
  watched: WatchedPage;
  dialog: Locator;
  address: Locator;
  qr: Locator;
}

Deno.test({
  name: "the playlist's way from the first page to a TV",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService({
      env: { TRUSTED_PROXIES: "127.0.0.1", ALLOWED_HOSTS: "tv.example.org" },
    });
    const browser = await launchBrowser();
    const desk = { service, browser };
    try {
      const step = async (name: string, run: (desk: Desk) => Promise<void>) => {
        assert.ok(await t.step(name, () => run(desk)), name);
        for (const context of browser.contexts()) await context.close();
      };
      await step("without a stream it is in the menu, and offers no group", empty);
      for (
        const [name, group] of [["Alpha", "Walls"], ["Bravo", "Departures & more"], ["Charlie", "walls"]]
      ) {
        await service.create({ name, group, desiredState: "stopped" });
      }
      await step("the address can be scanned, and leads to the channels", scan);
      await step("a group and running ones alone can be chosen", choose);
      await step("the addresses are copied", copy);
      await step(
        "where pages may not use the clipboard they are copied all the same, or by hand",
        copyElsewhere,
      );
      await step("a new order of the cards is the playlist's", reorder);
      await step("it is opened and closed by keyboard, with the focus kept", keyboard);
      await step("behind a proxy it is the proxy's address; a difference is told", proxied);
      await step("it fits every screen, in both themes, for everyone", screens);
    } finally {
      await browser.close();
      await service.stop();
    }
  },
});

async function openBoard({ service, browser }: Desk, options: BrowserContextOptions = {}): Promise<Open> {
  const watched = await openPage(browser, options);
  const { page } = watched;
  const dashboard = new DashboardPage(page, service.url);
  await dashboard.open();
  return {
    page,
    dashboard,
    watched,
    dialog: dashboard.dialog(TITLE),
    address: page.getByLabel("Playlist address", { exact: true }),
    qr: page.getByRole("img", { name: "QR code of the playlist's address" }),
  };
}

async function openDialog(desk: Desk, options: BrowserContextOptions = {}): Promise<Open> {
  const open = await openBoard(desk, options);
  await open.page.getByRole("button", { name: "Playlist", exact: true }).click();
  await open.qr.waitFor();
  return open;
}

async function read(address: string) {
  return parseM3u(new Uint8Array(await (await fetch(address)).arrayBuffer()));
}

async function empty(desk: Desk) {
  const { dashboard, dialog, address, qr, watched } = await openBoard(desk);
  await dashboard.choosePage("Playlist…");
  await qr.waitFor();
  assert.equal(await address.inputValue(), `${desk.service.url}/playlist.m3u`);
  assert.equal(await dialog.getByLabel("Channels").count(), 0);
  assert.deepEqual(watched.errors, []);
}

async function scan(desk: Desk) {
  const { qr, address, dialog, watched } = await openDialog(desk);
  const scanned = await readQrCode(qr);
  assert.equal(scanned, `${desk.service.url}/playlist.m3u`);
  assert.equal(await address.inputValue(), scanned);
  assert.deepEqual((await read(scanned)).channels.map(({ name }) => name), ["Alpha", "Bravo", "Charlie"]);
  const guide = await dialog.getByLabel("Programme guide").inputValue();
  assert.equal((await read(scanned)).header["x-tvg-url"], guide);
  // a test's browser sits on the same machine
  await dialog.getByText("works on this computer only").waitFor();
  assert.deepEqual(watched.errors, []);
}

async function choose(desk: Desk) {
  const { dialog, address, qr } = await openDialog(desk);
  const channels = dialog.getByLabel("Channels");
  assert.deepEqual(await channels.locator("option").allTextContents(), [
    "All groups",
    "Departures & more",
    "walls",
  ]);
  for (
    const [group, names] of [["walls", ["Alpha", "Charlie"]], ["Departures & more", ["Bravo"]]] as const
  ) {
    await channels.selectOption(group);
    const chosen = new URL(await address.inputValue());
    assert.equal(chosen.searchParams.get("group"), group);
    await until("the QR code to follow", 5000, async () => await readQrCode(qr) === chosen.href);
    assert.deepEqual((await read(chosen.href)).channels.map(({ name }) => name), names);
  }
  await channels.selectOption({ label: "All groups" });
  await dialog.getByLabel("Leave out stopped streams").check();
  const running = await address.inputValue();
  assert.equal(running, `${desk.service.url}/playlist.m3u?running=1`);
  assert.deepEqual((await read(running)).channels, []);
}

async function copy(desk: Desk) {
  const { page, dialog } = await openDialog(desk, { permissions: ["clipboard-read", "clipboard-write"] });
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const button = dialog.getByRole("button", { name: "Copy Playlist address" });
  const { width } = (await button.boundingBox())!;
  await button.click();
  const copied = dialog.getByRole("button", { name: "Copied Playlist address" });
  await copied.waitFor();
  assert.equal((await copied.boundingBox())!.width, width, "the button keeps its size");
  await dialog.getByRole("status").getByText("Playlist address is copied.").waitFor({ state: "attached" });
  assert.equal(await clipboard(), `${desk.service.url}/playlist.m3u`);
  await dialog.getByRole("button", { name: "Copy Programme guide" }).click();
  await until("the guide's address", 3000, async () => await clipboard() === `${desk.service.url}/epg.xml`);
  await button.waitFor({ timeout: 6000 }); // it says "Copy" again
}

async function copyElsewhere(desk: Desk) {
  const { page, dialog, address } = await openDialog(desk, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.evaluate(() => {
    Object.assign(globalThis, { real: navigator.clipboard });
    Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
  });
  const button = dialog.getByRole("button", { name: "Copy Playlist address" });
  await button.click();
  await dialog.getByRole("button", { name: "Copied Playlist address" }).waitFor();
  const text = await page.evaluate(() => (globalThis as unknown as { real: Clipboard }).real.readText());
  assert.equal(text, `${desk.service.url}/playlist.m3u`);

  await page.evaluate(() => document.execCommand = () => false);
  await dialog.getByRole("button", { name: "Copy Programme guide" }).click();
  await dialog.getByText("It is selected").waitFor();
  const selected = await page.evaluate(() => {
    const { value, selectionStart, selectionEnd } = document.activeElement as HTMLInputElement;
    return value.slice(selectionStart!, selectionEnd!);
  });
  assert.equal(selected, `${desk.service.url}/epg.xml`);
  assert.equal(await address.inputValue(), `${desk.service.url}/playlist.m3u`);
}

async function reorder(desk: Desk) {
  const { dashboard } = await openBoard(desk);
  const listed = async () =>
    (await read(`${desk.service.url}/playlist.m3u`)).channels.map(({ name, attributes }) =>
      `${attributes["tvg-chno"]} ${name}`
    ).join();
  assert.equal(await listed(), "1 Alpha,2 Bravo,3 Charlie");
  await dashboard.choose("Charlie", "Move to top");
  await until("the playlist to follow", 5000, async () => await listed() === "1 Charlie,2 Alpha,3 Bravo");
  await dashboard.choose("Charlie", "Move down");
  await until("the playlist to follow", 5000, async () => await listed() === "1 Alpha,2 Charlie,3 Bravo");
}

async function keyboard(desk: Desk) {
  const { page, dashboard, dialog, qr } = await openBoard(desk);
  await dashboard.tabTo("Playlist");
  await page.keyboard.press("Enter");
  await qr.waitFor();
  assert.match(await dashboard.focusedText(), /^Copy/);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await dashboard.focusedText(), "Playlist");
}

async function proxied(desk: Desk) {
  const { address, qr, dialog, dashboard } = await openDialog(desk, {
    extraHTTPHeaders: { "x-forwarded-proto": "https", "x-forwarded-host": "tv.example.org" },
  });
  assert.equal(await address.inputValue(), "https://tv.example.org/playlist.m3u");
  assert.equal(await readQrCode(qr), "https://tv.example.org/playlist.m3u");
  // as if the proxy did not tell the truth: the browser came by another address
  await dialog.getByText(`start the service with PUBLIC_URL=${desk.service.url}`).waitFor();
  await dashboard.screenshot("playlist-proxied");
}

async function screens(desk: Desk) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of size === "tv" ? ["dark"] as const : ["dark", "light"] as const) {
      const { page, dashboard, dialog, qr, watched } = await openBoard(desk, { viewport, colorScheme });
      await dashboard.screenshot(`playlist-board-${size}-${colorScheme}`);
      assert.equal(await dashboard.overflow(), 0, size);
      await page.getByRole("button", { name: "Playlist", exact: true }).click();
      await qr.waitFor();
      await dashboard.screenshot(`playlist-${size}-${colorScheme}`);
      await dialog.getByText("How to add it").click();
      await dialog.getByText("Kodi", { exact: true }).waitFor();
      await dialog.getByText("Jellyfin", { exact: true }).scrollIntoViewIfNeeded();
      await dashboard.screenshot(`playlist-help-${size}-${colorScheme}`);
      await page.evaluate(axe.source);
      const findings = await page.evaluate(async () => {
        const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run("dialog");
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      });
      assert.deepEqual(findings, [], `${size} ${colorScheme}`);
      const box = (await dialog.boundingBox())!;
      assert.ok(
        box.x >= 0 && box.x + box.width <= viewport.width && box.y + box.height <= viewport.height,
        size,
      );
      assert.equal(await watched.layoutShift(), 0, size);
      assert.deepEqual(watched.errors, []);
      await page.context().close();
    }
  }
}
