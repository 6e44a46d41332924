/**
 * What the looks at the pages cost: CPU of the web app and of the browsers of four idle streams, with a look each second
 * and with none after the first; the web app's memory, and how long a browser takes to answer.
 *
 *     deno task build && deno run -A bench/page_looks.ts
 */
import { DEFAULT_TIMINGS } from "../lib/timings.ts";
import { RemoteBrowser } from "../tests/support/remote_browser.ts";
import { startService } from "../tests/support/service.ts";
import { median } from "./figures.ts";
import { cpu, memory } from "./processes.ts";
import { pause } from "../tests/support/within.ts";

const STREAMS = 4;
const WINDOW_MS = 15_000;
const WINDOWS = 4;
/** As often as the watchdog can: five times what it does, so that the difference is seen. */
const OFTEN_MS = 1000;
const NEVER_MS = 1e9;
const ROUND_TRIPS = 200;

/** Milliseconds of one thing, done again and again. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < ROUND_TRIPS; at++) {
    const from = performance.now();
    await work();
    times.push(performance.now() - from);
  }
  return median(times);
}

/** By the hub's socket, as a helper does. */
async function printRoundTrips({ control }: RemoteBrowser): Promise<void> {
  await using connection = await control.open();
  const version = await timeOf(() => connection.send("Browser.getVersion"));
  await using page = await control.connectFirst();
  const evaluate = await timeOf(() => page.evaluate("1"));
  console.log(`ms: Browser.getVersion ${version.toFixed(2)}, Runtime.evaluate ${evaluate.toFixed(2)}`);
}

/** % of a core: the web app, and all browsers. */
async function measure(pageLookMs: number): Promise<{ web: number; browsers: number }> {
  const service = await startService({ timings: { pageLookMs, pageCheckMs: 20_000 } });
  try {
    const ids: string[] = [];
    for (let at = 1; at <= STREAMS; at++) {
      const { id } = await service.create({
        name: `Idle ${at}`,
        url: `${service.pageUrl}still.html`,
        audio: false,
      });
      ids.push(id);
    }
    for (const id of ids) await service.untilState(id, "running");
    await pause(15_000);
    const [web] = service.processes(/ serve$/);
    const pids: Record<string, number> = { web };
    for (const id of ids) pids[id] = await service.programPid(`browser-${id}`);
    const windows: Record<string, number>[] = [];
    for (let at = 0; at < WINDOWS; at++) windows.push(await cpu(pids, WINDOW_MS));
    console.log(`web app, MiB: PSS ${memory(web, "Pss").toFixed(1)}, RSS ${memory(web, "Rss").toFixed(1)}`);
    await printRoundTrips(new RemoteBrowser(service, ids[0]));
    const sum = (window: Record<string, number>) => ids.reduce((all, id) => all + window[id], 0);
    return { web: median(windows.map(({ web }) => web)), browsers: median(windows.map(sum)) };
  } finally {
    await service.stop();
  }
}

const often = await measure(OFTEN_MS);
const never = await measure(NEVER_MS);
console.log("% of a core, four streams: web app, browsers");
for (const [name, { web, browsers }] of Object.entries({ "a look each second": often, "none": never })) {
  console.log(`${name.padEnd(20)} ${web.toFixed(2).padStart(6)} ${browsers.toFixed(2).padStart(6)}`);
}
const each = (kind: "web" | "browsers") =>
  (often[kind] - never[kind]) / STREAMS * (OFTEN_MS / DEFAULT_TIMINGS.pageLookMs);
console.log(
  `one stream, a look each ${DEFAULT_TIMINGS.pageLookMs / 1000} s: web app ${each("web").toFixed(3)}, ` +
    `browser ${each("browsers").toFixed(3)}, together ${(each("web") + each("browsers")).toFixed(3)}`,
);
