/** A day of a dashboard as the recorder leaves it: drawn by Chromium, coded by x264, with gaps and events. */
import type { Reason } from "../../lib/model/past.ts";
import type { Browser } from "playwright-core";
import { runBytes } from "../../lib/machine/os/process.ts";
import { streamId } from "../../lib/model/id.ts";
import { OpenPiece } from "../../lib/rewind/recorder/open_piece.ts";
import { type Change, NO_CHANGE } from "../../lib/rewind/recorder/piece.ts";
import { X264Library } from "../../lib/rewind/recorder/x264.ts";
import type { TestApp } from "./app.ts";
import { HD, pastFolder } from "./past.ts";

const PIECE = 600;
const DAY = 86_400;

/** Numbers from 0 to 1 that are the same each time. */
function* chances(seed: number): Generator<number, never> {
  for (;;) yield (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
}

function line(seed: number, height: number, points = 60): string {
  const random = chances(seed);
  let y = height / 2;
  return Array.from({ length: points }, (_, at) => {
    y = Math.max(8, Math.min(height - 8, y + (random.next().value - 0.5) * height / 4));
    return `${at === 0 ? "M" : "L"}${at * 600 / (points - 1)} ${y.toFixed(1)}`;
  }).join("");
}

/** The dashboard of a time. */
function dashboardHtml(at: number, isBroken: boolean): string {
  const seed = Math.floor(at / 600);
  const random = chances(seed);
  const number = (low: number, high: number) => Math.round(low + random.next().value * (high - low));
  const time = new Date(at * 1000).toISOString().slice(11, 19);
  const panel = (title: string, body: string, wide = 1) =>
    `<section style="grid-column:span ${wide}"><h2>${title}</h2>${body}</section>`;
  const figure = (value: string, colour: string) => `<p style="color:${colour}">${value}</p>`;
  const chart = (one: number, other: number) =>
    `<svg viewBox="0 0 600 180" preserveAspectRatio="none"><path d="${
      line(seed + one, 180)
    }L600 180L0 180Z" fill="#2a5fa8" fill-opacity=".35"/><path d="${
      line(seed + one, 180)
    }" fill="none" stroke="#5794f2" stroke-width="2.5"/><path d="${
      line(seed + other, 180)
    }" fill="none" stroke="#f2a45c" stroke-width="2.5"/></svg>`;
  return `<!doctype html><style>*{box-sizing:border-box;margin:0}body{width:1280px;height:720px;padding:16px;background:#111217;color:#d8d9da;font:15px sans-serif}
header{display:flex;justify-content:space-between;align-items:center;height:48px;font-size:22px}
main{display:grid;grid-template-columns:repeat(4,1fr);grid-template-rows:150px 1fr;gap:12px;height:628px}
section{padding:12px;background:#181b1f;border:1px solid #2a2d33;border-radius:6px;display:flex;flex-direction:column}
h2{font-size:15px;font-weight:500;color:#a8abb2}p{margin:auto;font-size:56px;font-weight:600}svg{flex:1;width:100%;min-height:0;margin-top:8px}
td{padding:7px 4px;border-bottom:1px solid #2a2d33}table{width:100%;margin-top:8px;border-collapse:collapse}b{color:#f2495c}i{color:#73bf69;font-style:normal}</style>
<header><span>Production line 3 · Overview</span><span>${time}</span></header><main>
${panel("Units today", figure(String(number(2000, 9000)), "#73bf69"))}
${panel("Downtime", figure(isBroken ? "18 min" : `${number(0, 4)} min`, isBroken ? "#f2495c" : "#73bf69"))}
${panel("Temperature", figure(`${number(61, 68)} °C`, "#f2cc0c"))}
${panel("Orders open", figure(String(number(40, 90)), "#5794f2"))}
${panel("Throughput, units an hour", chart(3, 7), 3)}
${
    panel(
      "Machines",
      `<table>${
        ["Press A", "Press B", "Oven 1", "Oven 2", "Robot L", "Robot R", "Packer"].map((name, at) =>
          `<tr><td>${name}<td>${isBroken && at === 2 ? "<b>stopped</b>" : "<i>running</i>"}<td>${
            number(70, 99)
          } %`
        ).join("")
      }</table>`,
    )
  }</main>`;
}

interface Drawn {
  planes: Uint8Array<ArrayBuffer>;
}

async function draw(browser: Browser, times: readonly number[], brokenAt: number): Promise<Drawn[]> {
  const context = await browser.newContext({ viewport: { ...HD } });
  const page = await context.newPage();
  const drawn: Drawn[] = [];
  for (const at of times) {
    await page.setContent(dashboardHtml(at, at >= brokenAt && at < brokenAt + 1200));
    const png = await page.screenshot();
    const { stdout } = await runBytes(
      [
        "/usr/bin/ffmpeg",
        "-loglevel",
        "error",
        "-i",
        "pipe:0",
        "-pix_fmt",
        "yuv420p",
        "-f",
        "rawvideo",
        "pipe:1",
      ],
      {
        timeoutMs: 10_000,
        maxOutput: 4_000_000,
        cwd: "/",
        input: (async function* () {
          yield await Promise.resolve(new Uint8Array(png));
        })(),
      },
    );
    drawn.push({ planes: stdout });
  }
  await context.close();
  return drawn;
}

/** Cells of 16 x 9 within a rectangle of cells. */
function cellsOf(left: number, top: number, width: number, height: number): Uint8Array<ArrayBuffer> {
  const cells = NO_CHANGE.cells.slice();
  for (let y = top; y < top + height; y++) {
    for (let x = left; x < left + width; x++) cells[y * 2 + (x >> 3)] |= 0x80 >> (x & 7);
  }
  return cells;
}

const SMALL: Change = { share: 4, cells: cellsOf(14, 0, 2, 1) };
const CHART: Change = { share: 230, cells: cellsOf(0, 3, 12, 6) };
const WHOLE: Change = { share: 720, cells: cellsOf(0, 0, 16, 9) };

/** Writes the day before `now`, a Unix time in s. */
export async function recordDashboard(
  app: TestApp,
  browser: Browser,
  now: number,
  id = "clock",
): Promise<void> {
  const folder = pastFolder(app.paths, id);
  await Deno.mkdir(folder, { recursive: true });
  const first = Math.ceil((now - 0.92 * DAY) / PIECE) * PIECE;
  const brokenAt = now - 4 * 3600 - 240;
  const times: number[] = [];
  for (let at = first; at < now - PIECE; at += 1800) times.push(at);
  const drawn = await draw(browser, times, brokenAt);
  const at = (time: number) => drawn[Math.min(drawn.length - 1, Math.floor((time - first) / 1800))].planes;
  const gaps: { from: number; to: number; reason: Reason }[] = [
    { from: now - 15 * 3600, to: now - 12 * 3600, reason: "stopped" },
    { from: now - 7 * 3600, to: now - 6 * 3600 - 900, reason: "visit" },
  ];
  using library = new X264Library();
  using encoder = library.open(HD);
  let number = 1;
  for (let start = first; start < now; start += PIECE) {
    if (gaps.some(({ from, to }) => start >= from && start < to)) continue;
    const end = Math.min(start + PIECE, now);
    const ends = gaps.find(({ from }) => from > start && from <= start + PIECE);
    const open = await OpenPiece.create(folder, { number: number++, start }, HD, encoder.parameterSets());
    await open.add(start, await encoder.encode(at(start), true), start % 1800 < PIECE ? WHOLE : NO_CHANGE);
    // figures each 10 s, a chart each minute; the night is quiet
    const hour = (start - first) / 3600;
    const pause = hour > 5 && hour < 12 ? 300 : 10;
    for (let time = start + pause; time < end; time += pause) {
      await open.note(time, time % 60 < 10 ? CHART : SMALL);
    }
    await open.until(end);
    if (ends) await open.finish(ends.reason);
    open.close();
  }
  const events: [
    ago: number,
    kind: Parameters<TestApp["service"]["events"]["add"]>[1],
    text: string,
    level?: "warn" | "error",
  ][] = [
    [15 * 3600, "stream", "Stopped."],
    [12 * 3600, "stream", "Started."],
    [7 * 3600, "takeover", "Somebody at 192.0.2.7 took the browser over by VNC."],
    [6 * 3600 + 900, "takeover", "The browser is the service's again."],
    [4 * 3600 + 240, "page", "The page's server answers with an error (502).", "error"],
    [4 * 3600 - 900, "page", "The page is back."],
    [3000, "program", "The encoder was restarted: it hung.", "warn"],
  ];
  for (const [ago, kind, text, level] of events) {
    app.machine.advance((now - ago) * 1000 - app.machine.now());
    app.service.events.add(streamId(id), kind, text, level);
  }
  app.machine.advance((now + 1) * 1000 - app.machine.now());
}
