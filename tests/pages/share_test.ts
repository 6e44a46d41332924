/** The addresses of a stream, to copy and to scan, and what the buttons of its card open. */
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
