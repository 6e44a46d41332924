/**
 * What pictures cost: CPU and memory of each program, beside another project's command line (docs/pipeline.md), and
 * beside our own encoder without the capture program: all on the same display at the same time.
 *
 *     deno task build && deno run -A bench/pictures.ts [PAGE,PAGE…] [FORMAT,FORMAT…]
 */
import { withTimeout } from "../lib/system/time.ts";
import { pause, type TestService } from "../tests/support/service.ts";
import { type Bench, progress, serviceIn, shortened } from "./bench.ts";
import { median } from "./figures.ts";
import { grabbingCommand, peerCommand, startOther, surroundingsOf } from "./peer.ts";
import { type PeerMedia, peerMediaIn } from "./peer_media.ts";
import { cpu, memory } from "./processes.ts";
import type { Row } from "./table.ts";

const WINDOW_MS = shortened(8) * 1000;
const WINDOWS = shortened(3);
/** From the start of what is compared to the first window. */
const SETTLE_MS = 8000;
/** For one page in one format, with its start. */
const [ROW_MS, START_MS] = [120_000, 30_000];
/** Of the stream: the display and its window manager, the page, the sound, and who makes the channel of it. */
const OWN = ["display", "wm", "browser", "audio", "encoder"] as const;
const KINDS = ["display", "wm", "browser", "audio", "capture", "encoder"];

/** By what changes on them: nothing, a line of text once a second, 32 x 32 pixels always, everything always. */
const PAGES = { still: "still", clock: "static", spinner: "spinner", moving: "moving" };

const FORMATS = {
  "720p25": { resolution: "1280x720", scale: "1280x720", fps: 25 },
  "1080p30": {
    ...{ resolution: "1920x1080", scale: "1920x1080", fps: 30 },
    ...{ bitrate: "4000k", bufsize: "4000k" },
  },
  "1080p to 720p30": { resolution: "1920x1080", scale: "1280x720", fps: 30 },
  // the peer's own settings, for its own job
  "same job": { resolution: "1920x1080", scale: "1280x720", fps: 30, preset: "ultrafast", bufsize: "3000k" },
};

const number = (value: number) => value.toFixed(1).padStart(6);

/** % of a core, of each program and of the others. */
type Used = (kind: string) => number;

/** @param isGrabbing whether our own encoder without the capture program is compared as well. */
async function compare(
  service: TestService,
  media: PeerMedia,
  page: keyof typeof PAGES,
  format: keyof typeof FORMATS,
  isGrabbing: boolean,
): Promise<Used> {
  const url = `${service.pageUrl}${PAGES[page]}.html`;
  await using stream = await service.temporaryStream({ name: "Load", url, ...FORMATS[format] });
  const { id } = stream;
  await service.untilState(id, "running", START_MS);
  const { spec, env } = await surroundingsOf(service, id);
  await using others = new AsyncDisposableStack();
  const pids: Record<string, number> = {};
  pids.peer = others.use(startOther(peerCommand(spec, media.publishUrl("peer")), env)).pid;
  if (isGrabbing) pids.grabbing = others.use(startOther(grabbingCommand(spec), env)).pid;
  await pause(SETTLE_MS);
  for (const kind of OWN) pids[kind] = await service.programPid(`${kind}-${id}`);
  [pids.capture] = service.processes(/ capture$/);
  const windows: Record<string, number>[] = [];
  for (let at = 0; at < WINDOWS; at++) windows.push(await cpu(pids, WINDOW_MS));
  const used: Used = (kind) => median(windows.map((window) => window[kind] ?? 0));
  // one that has ended costs nothing, and would be the best
  if (used("peer") === 0) throw new Error("the other command does not run");
  const ours = used("capture") + used("encoder");
  const list = (value: Used) => KINDS.map((kind) => number(value(kind))).join(" ");
  const share = (other: string) =>
    `${other} ${number(used(other))}, ours ${(ours / used(other)).toFixed(2)} of it`;
  progress(
    `${page.padEnd(8)} ${format.padEnd(16)} CPU % ${list(used)}; ` +
      `${["peer", ...isGrabbing ? ["grabbing"] : []].map(share).join("; ")}; load ${
        Deno.loadavg()[0].toFixed(1)
      }`,
  );
  for (const kind of ["Pss", "Rss"] as const) {
    progress(`${"".padEnd(25)} ${kind} M ${list((program) => memory(pids[program], kind))}`);
  }
  return used;
}

const heading = () =>
  progress(`${"".padEnd(31)} ${"display     wm browser  audio capture encoder".padStart(41)}`);

/** How many streams a core carries, by what makes the channel, and by all that runs for one. */
function streamsPerCore(page: string, used: Used): Row[] {
  const around = used("display") + used("wm") + used("browser");
  const [ours, peers] = [used("capture") + used("encoder"), used("peer")];
  const row = (name: string, own: number, peer: number, beside: string): Row => ({
    ...{ name: `${page}, ${name}`, ours: 100 / own, baseline: 100 / peer, beside },
    ...{ unit: "streams a core", better: "more" },
  });
  return [
    row("pictures alone", ours, peers, "the direct peer's command"),
    row("all of it", around + used("audio") + ours, around + peers, "the same with the peer's command"),
  ];
}

export const pictures: Bench = {
  name: "pictures",
  limitMs: 240_000,
  async run(scope) {
    const [service, media] = [await serviceIn(scope), await peerMediaIn(scope)];
    heading();
    const rows: Row[] = [];
    const pages = { still: "still page", clock: "ticking page", moving: "moving page" } as const;
    for (const page of ["still", "clock", "moving"] as const) {
      rows.push(...streamsPerCore(pages[page], await compare(service, media, page, "same job", false)));
    }
    return rows;
  },
};

function chosen<T extends string>(all: Record<T, unknown>, argument: string | undefined): T[] {
  const names = Object.keys(all) as T[];
  return argument === undefined ? names : names.filter((name) => argument.split(",").includes(name));
}

if (import.meta.main) {
  await using scope = new AsyncDisposableStack();
  const [service, media] = [await serviceIn(scope), await peerMediaIn(scope)];
  heading();
  for (const format of chosen(FORMATS, Deno.args[1])) {
    for (const page of chosen(PAGES, Deno.args[0])) {
      await withTimeout(ROW_MS, compare(service, media, page, format, true), "took too long").catch((error) =>
        progress(`${page} ${format}: ${error.message}`)
      );
    }
  }
}
