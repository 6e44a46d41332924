/**
 * Takes the documents' pictures, docs/screenshots/*.png, of the real service with the pages in tests/fixtures:
 * `deno run -A scripts/screenshots.ts [NAME…]`, after `deno task build`.
 */
import type { Page } from "playwright-core";
import { parseConfig } from "../lib/config.ts";
import { pathsOf } from "../lib/paths.ts";
import { SLOT_MS, SLOTS } from "../lib/model/answers/heartbeat.ts";
import { HeartbeatLog } from "../lib/model/answers/heartbeat_log.ts";
import { launchBrowser, openPage, SIZES } from "../tests/support/browser.ts";
import { DashboardPage } from "../tests/support/dashboard_page.ts";
import { FormPage } from "../tests/support/form_page.ts";
import { makeDataDir, startService, type TestService } from "../tests/support/service.ts";
import { pause, within } from "../tests/support/within.ts";

const FOLDER = new URL("../docs/screenshots/", import.meta.url).pathname;
/** The service's address in the pictures. */
const PUBLIC_URL = "https://tv.example.org";
/** The dialogs that are opened on the first page before its picture is taken. */
const DIALOGS: Record<string, (page: Page, dashboard: DashboardPage) => Promise<void>> = {
  form: async (page, dashboard) => {
    const form = new FormPage(page, dashboard);
    await form.add();
    await form.field("Page address").fill("https://play.grafana.org/");
    await form.field("Name").fill("Grafana");
  },
  playlist: async (page) => {
    await page.getByRole("button", { name: "Playlist", exact: true }).click();
  },
};
const STREAMS = [
  ["Network operations", "wall", "Control room"],
  ["Departures", "departures", "Control room"],
  ["Sales today", "sales", "Control room"],
  ["Departures south", "departures", "Control room"],
  ["Harbour camera", "camera", "Harbour"],
  ["Harbour at night", "camera", "Harbour"],
] as const;
/** Light settings, so that several streams run on a small machine. */
const LIGHT = { fps: 5, preset: "ultrafast", audio: false };

/** An example of a day, in slots of 15 minutes from the oldest: states, and their reasons. */
const FAULTS: Record<string, [slot: number, state: "degraded" | "failed", reason: string][]> = {
  "sales-today": [[31, "degraded", "The page's server answers with an error (502)."], [
    32,
    "degraded",
    "The page's server answers with an error (502).",
  ]],
  "harbour-camera": [[58, "failed", "The page's host name is not found."]],
  "departures": [[12, "degraded", "No new picture for 7 s."]],
};

const dataDir = await makeDataDir();
await makeStreams();
const service = await startService({ dataDir, env: { PUBLIC_URL } });
const browser = await launchBrowser();
try {
  await takeThumbnails(service);
  await service.api("POST", "/api/streams/harbour-at-night/stop");
  for (
    const [file, colorScheme, size] of [
      ["dashboard", "dark", "desktop"],
      ["dashboard-light", "light", "desktop"],
      ["dashboard-phone", "dark", "phone"],
      ["form", "dark", "desktop"],
      ["playlist", "dark", "desktop"],
    ] as const
  ) {
    if (Deno.args.length > 0 && !Deno.args.includes(file)) continue;
    const isPhone = size === "phone";
    const { page } = await openPage(browser, {
      viewport: SIZES[size],
      colorScheme,
      isMobile: isPhone,
      hasTouch: isPhone,
    });
    const dashboard = new DashboardPage(page, service.url);
    await dashboard.open();
    await within(
      "all pictures",
      20_000,
      () =>
        page.evaluate(() =>
          [...document.querySelectorAll(".thumbnail img")].every((image) =>
            (image as HTMLImageElement).complete && (image as HTMLImageElement).naturalWidth > 0
          )
        ),
    );
    await DIALOGS[file]?.(page, dashboard);
    await pause(1500);
    await page.screenshot({ path: `${FOLDER}${file}.png` });
    await page.context().close();
  }
} finally {
  await browser.close();
  await service.stop();
  await Deno.remove(dataDir, { recursive: true });
}

/** Creates the streams, and writes their history of a day. */
async function makeStreams(): Promise<void> {
  const first = await startService({ dataDir });
  const ids: string[] = [];
  try {
    for (const [name, page, group] of STREAMS) {
      const url = `${first.pageUrl}${page}.html`;
      const isReloaded = page === "sales";
      const stream = await first.create({
        name,
        group,
        url,
        ...LIGHT,
        autoReload: isReloaded,
        desiredState: "stopped",
      });
      ids.push(stream.id);
    }
  } finally {
    await first.stop();
  }
  const now = Date.now();
  const logs = ids.map((id) => {
    const log = new HeartbeatLog();
    for (let slot = 0; slot < SLOTS; slot++) {
      const at = now - (SLOTS - 1 - slot) * SLOT_MS;
      const [, state, reason] = FAULTS[id]?.find(([one]) => one === slot) ?? [slot, "running" as const, ""];
      log.add(state, reason, state === "running" ? SLOT_MS / 1000 : 40, at);
    }
    return [id, log.stored()];
  });
  await Deno.writeTextFile(
    pathsOf(parseConfig({ DATA_DIR: dataDir })).heartbeatsFile,
    JSON.stringify(Object.fromEntries(logs)),
  );
}

/** Waits until every stream runs and has a thumbnail of its page. */
async function takeThumbnails({ api, status, pageUrl }: TestService): Promise<void> {
  const streams: { id: string; name: string }[] = await (await api("GET", "/api/streams")).json();
  for (const { id, name } of streams) {
    // the port has changed since the streams were made
    const page = STREAMS.find(([one]) => one === name)![1];
    await api("PATCH", `/api/streams/${id}`, { url: `${pageUrl}${page}.html` });
    await api("POST", `/api/streams/${id}/start`);
  }
  for (const { id } of streams) {
    await within(`${id} to run`, 90_000, async () => (await status(id)).state === "running");
  }
  await pause(5000);
  for (const { id } of streams) {
    const before = Date.now();
    await within(`a thumbnail of ${id}`, 30_000, async () => {
      if (((await status(id)).thumbAt ?? 0) >= before) return true;
      await api("POST", `/api/streams/${id}/thumb`);
    }, 1000);
  }
}
