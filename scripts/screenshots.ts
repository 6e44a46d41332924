/**
 * Takes the README's pictures, docs/screenshots/*.png, of the real service with the pages in tests/fixtures:
 * `deno run -A scripts/screenshots.ts`, after `deno task build`.
 */
import { launchBrowser, openPage, SIZES } from "../tests/support/browser.ts";
import { DashboardPage } from "../tests/support/dashboard_page.ts";
import { pause, startService, type TestService, until } from "../tests/support/service.ts";

const FOLDER = new URL("../docs/screenshots/", import.meta.url).pathname;
const STREAMS = [
  ["Network operations", "wall"],
  ["Departures", "departures"],
  ["Sales today", "sales"],
  ["Harbour camera", "camera"],
  ["Departures south", "departures"],
  ["Harbour at night", "camera"],
] as const;
/** So that several run on a small machine. */
const LIGHT = { fps: 5, preset: "ultrafast", audio: false };

const service = await startService();
const browser = await launchBrowser();
try {
  for (const [name, page] of STREAMS) {
    await service.create({
      name,
      url: `${service.pageUrl}${page}.html`,
      ...LIGHT,
      autoReload: page === "sales",
    });
  }
  await takeScreenshots(service);
  await service.api("POST", "/api/streams/harbour-at-night/stop");
  for (
    const [file, colorScheme, size] of [
      ["dashboard", "dark", "desktop"],
      ["dashboard-light", "light", "desktop"],
      ["dashboard-phone", "dark", "phone"],
    ] as const
  ) {
    const isPhone = size === "phone";
    const { page } = await openPage(browser, {
      viewport: SIZES[size],
      colorScheme,
      isMobile: isPhone,
      hasTouch: isPhone,
    });
    const dashboard = new DashboardPage(page, service.url);
    await dashboard.open();
    await pause(1500);
    await page.screenshot({ path: `${FOLDER}${file}.png` });
    await page.context().close();
  }
} finally {
  await browser.close();
  await service.stop();
}

/** Waits until every stream runs and has a picture of its page. */
async function takeScreenshots({ api, status }: TestService): Promise<void> {
  const streams: { id: string }[] = await (await api("GET", "/api/streams")).json();
  for (const { id } of streams) {
    await until(`${id} to run`, 60_000, async () => (await status(id)).state === "running");
  }
  await pause(5000);
  for (const { id } of streams) {
    const before = Date.now();
    await api("POST", `/api/streams/${id}/thumb`);
    await until(`a thumbnail of ${id}`, 20_000, async () => ((await status(id)).thumbAt ?? 0) >= before);
  }
}
