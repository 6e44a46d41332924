/** The addresses of a stream, to copy and to scan, and what the buttons of its card open. */
import { inSoak } from "../support/soak.ts";
import { readQrCode } from "../support/qr.ts";
import { same, until } from "../support/same.ts";
import { uiTest } from "../support/ui.ts";

const CLOCK = { streams: [{ name: "Clock", desiredState: "running" }] };
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

uiTest("each address is shown, copied and scanned", async ({ page, dashboard, url, app }) => {
  await dashboard.open();
  const dialog = await dashboard.share("Clock");
  const cases: [label: string, address: string][] = [
    ["Player page", `${url}/player/clock`],
    ["TV player", `${url}/static/clock`],
    ["Minimal player", `${url}/player/clock.html`],
    ["HLS feed (.m3u8)", `${url}/api/hls/live/clock/index.m3u8`],
    ["Remote control (VNC)", `${url}/vnc/clock`],
    ["RTMP address (this server only)", `rtmp://127.0.0.1:${app.config.RTMP_PORT}/live/clock`],
    ["The page itself", "https://clock.example.org/"],
  ];
  for (const [label, address] of cases) {
    await dialog.getByText(label, { exact: true }).first().click();
    await same(() => dialog.locator("#share-address").inputValue(), address);
    await dialog.getByRole("button", { name: /^Cop/ }).click();
    await dialog.getByText(`${label} is copied.`).waitFor({ state: "attached" });
    await same(() => page.evaluate(() => navigator.clipboard.readText()), address);
    // reading one takes half a second; all are made in the same way
    if (label.startsWith("HLS")) {
      const code = dialog.getByRole("img", { name: `QR code: ${label}` });
      await until("the QR code", async () => await readQrCode(code) === address);
    }
    const open = dialog.getByRole("link", { name: "Open", exact: true });
    await same(
      async () => await open.count() > 0 ? await open.getAttribute("href") : null,
      label.startsWith("RTMP") ? null : address,
    );
  }
}, { ...CLOCK, context: CLIPBOARD });

inSoak(uiTest)("Play Stream and Run HTML say where they lead, and Pure mode changes both", async (ui) => {
  const { page, dashboard } = ui;
  await dashboard.open();
  const dialog = await dashboard.share("Clock");
  const leads = async () => [
    await dialog.getByRole("link", { name: "Play Stream" }).getAttribute("href"),
    await dialog.getByRole("link", { name: "Run HTML" }).getAttribute("href"),
  ];
  await same(leads, ["/player/clock", "/static/clock"]);
  await dialog.getByLabel("Pure mode").check();
  await same(leads, ["/api/hls/live/clock/index.m3u8", "/player/clock.html"]);
  await dashboard.press("Escape");
  await same(
    () => dashboard.action("Clock", "Play").getAttribute("href"),
    "/api/hls/live/clock/index.m3u8",
  );
  await dashboard.share("Clock");
  await dialog.getByRole("link", { name: "Run HTML" }).click();
  await page.waitForURL("**/player/clock.html");
}, { ...CLOCK, mayLog: /404/ });

inSoak(uiTest)("with a login, it says who can use an address, and leads to those of apps", async (ui) => {
  const { page, url, dashboard } = ui;
  await page.goto(`${url}/login`);
  await page.getByLabel("User name").fill("anna");
  await page.getByLabel("Password", { exact: true }).fill("correct horse");
  await page.keyboard.press("Enter");
  await page.locator("main[data-ready=true]").waitFor();
  const dialog = await dashboard.share("Clock");
  await same(() => dialog.getByText("RTMP").count(), 0);
  await dialog.getByRole("button", { name: "Playlist" }).click();
  await dashboard.dialog("Playlist for TVs and apps").getByText("Apps cannot use the login page.").waitFor();
}, { ...CLOCK, env: { AUTH_USER: "anna", AUTH_PASS: "correct horse" } });
