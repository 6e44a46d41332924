/**
 * What pictures cost: CPU and memory of each program, beside another project's command line (docs/pipeline.md). The rows of
 * `deno task bench` have each alone on the display, one after the other; by itself this file has them, and our own
 * encoder without the capture program, on the display at the same time.
 *
 *     deno task build && deno run -A bench/pictures.ts [PAGE,PAGE…] [FORMAT,FORMAT…]
 */
import { withTimeout } from "../lib/system/time.ts";
import { type TestService } from "../tests/support/service.ts";
import { type Bench, progress, serviceIn, shortened } from "./bench.ts";
import { median } from "./figures.ts";
import { grabbingCommand, peerCommand, startOther, surroundingsOf } from "./peer.ts";
import { type PeerMedia, peerMediaIn } from "./peer_media.ts";
import { cpu, memory } from "./processes.ts";
import type { Row } from "./table.ts";
import { pause, within } from "../tests/support/within.ts";

const WINDOW_MS = shortened(8) * 1000;
const WINDOWS = shortened(3);
/** From the start of what is compared to the first window. */
const SETTLE_MS = 8000;
/** For one page in one format, with its start. */
const COMPARE_MS = 120_000;
/** Until the page is asked for, at most; our encoder begins when the peer's command has been measured. */
const PAGE_MS = 12_000;
const DELAY_S = (PAGE_MS + SETTLE_MS + WINDOWS * WINDOW_MS) / 1000 + 2;
/** What a stream needs beside the encoder. */
const AROUND = ["display", "wm", "browser"] as const;

/** By what changes on them: nothing, a line of text once a second, 32 x 32 pixels always, everything always. */
const PAGES = { still: "still", clock: "static", spinner: "spinner", moving: "moving" };
type PageName = keyof typeof PAGES;

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

/** % of a core. */
type Used = (program: string) => number;

/** Median of the windows. */
async function usedBy(pids: Record<string, number>): Promise<Used> {
  const windows: Record<string, number>[] = [];
  for (let at = 0; at < WINDOWS; at++) windows.push(await cpu(pids, WINDOW_MS));
  // one that has ended costs nothing, and would be the best
  if (windows.some(({ peer }) => peer === 0)) throw new Error("the peer's command does not run");
  return (program) => median(windows.map((window) => window[program]));
}

/** The pids of a stream's own programs, and of the capture program. */
async function pidsOf(service: TestService, id: string, kinds: readonly string[]) {
  const pids: Record<string, number> = {};
  for (const kind of kinds) pids[kind] = await service.programPid(`${kind}-${id}`);
  return { ...pids, capture: service.processes(/ capture$/)[0] };
}

/** What is used while the peer's command alone takes pictures of the display. */
async function peerAlone(service: TestService, media: PeerMedia, id: string): Promise<Used> {
  const { spec, env } = await surroundingsOf(service, id);
  await using peer = startOther(peerCommand(spec, media.publishUrl("peer")), env);
  await pause(SETTLE_MS);
  const used = await usedBy({ ...await pidsOf(service, id, AROUND), peer: peer.pid });
  if (Date.now() > spec.startedAt + DELAY_S * 1000) {
    throw new Error("our encoder began before the peer's end");
  }
  return used;
}

/**
 * How many streams a core carries, by what makes the channel, and by all that runs for one. The peer's command has the
 * display for itself until our encoder begins: what either asks of the display counts as its own.
 */
async function streamsPerCore(
  service: TestService,
  media: PeerMedia,
  page: PageName,
  name: string,
): Promise<Row[]> {
  const asked = service.pageRequests.length;
  const url = `${service.pageUrl}${PAGES[page]}.html`;
  await using stream = await service.temporaryStream({
    ...{ name: "Load", url, ...FORMATS["same job"], delay: DELAY_S },
  });
  const { id } = stream;
  await within("the page", PAGE_MS, () => service.pageRequests.length > asked);
  const peers = await peerAlone(service, media, id);
  await service.untilState(id, "running");
  await pause(SETTLE_MS);
  const ours = await usedBy(await pidsOf(service, id, [...AROUND, "audio", "encoder"]));
  const list = (used: Used, programs: readonly string[]) =>
    programs.map((program) => `${program} ${used(program).toFixed(1)}`).join(", ");
  const [all, allOfPeer] = [[...AROUND, "audio", "capture", "encoder"], [...AROUND, "peer"]];
  progress(`${name}, CPU %: ${list(ours, all)}; the peer's: ${list(peers, allOfPeer)}`);
  const perCore = (used: Used, programs: readonly string[]) =>
    100 / programs.reduce((sum, program) => sum + used(program), 0);
  const row = (what: string, own: readonly string[], others: readonly string[], beside: string): Row => ({
    ...{ name: `${name}, ${what}`, ours: perCore(ours, own), baseline: perCore(peers, others), beside },
    ...{ unit: "streams a core", better: "more" },
  });
  return [
    row("pictures and encoder", ["capture", "encoder"], ["peer"], "the direct peer's command"),
    row("all of a stream", all, allOfPeer, "the same with the peer's command"),
  ];
}

export const pictures: Bench = {
  name: "pictures",
  limitMs: 420_000,
  async run(scope) {
    const [service, media] = [await serviceIn(scope), await peerMediaIn(scope)];
    return [
      ...await streamsPerCore(service, media, "still", "still page"),
      ...await streamsPerCore(service, media, "clock", "ticking page"),
      ...await streamsPerCore(service, media, "moving", "moving page"),
    ];
  },
};

/** All on one display at the same time. */
async function compare(
  service: TestService,
  media: PeerMedia,
  page: PageName,
  format: keyof typeof FORMATS,
): Promise<void> {
  const url = `${service.pageUrl}${PAGES[page]}.html`;
  await using stream = await service.temporaryStream({ name: "Load", url, ...FORMATS[format] });
  const { id } = stream;
  await service.untilState(id, "running");
  const { spec, env } = await surroundingsOf(service, id);
  await using peer = startOther(peerCommand(spec, media.publishUrl("peer")), env);
  await using grabbing = startOther(grabbingCommand(spec), env);
  await pause(SETTLE_MS);
  const pids: Record<string, number> = await pidsOf(service, id, [...AROUND, "encoder"]);
  const used = await usedBy({ ...pids, peer: peer.pid, grabbing: grabbing.pid });
  const ours = used("capture") + used("encoder");
  const number = (value: number) => value.toFixed(1).padStart(6);
  const list = (value: Used) => [...AROUND, "capture", "encoder"].map((one) => number(value(one))).join(" ");
  const beside = (other: string) => `${number(used(other))} (ours ${(ours / used(other)).toFixed(2)} of it)`;
  progress(
    `${page.padEnd(8)} ${format.padEnd(16)} CPU % ${list(used)}; peer ${beside("peer")}, ` +
      `grabbing ${beside("grabbing")}; load ${Deno.loadavg()[0].toFixed(1)}`,
  );
  for (const kind of ["Pss", "Rss"] as const) {
    progress(`${"".padEnd(25)} ${kind} M ${list((program) => memory(pids[program], kind))}`);
  }
}

function chosen<T extends string>(all: Record<T, unknown>, argument: string | undefined): T[] {
  const names = Object.keys(all) as T[];
  return argument === undefined ? names : names.filter((name) => argument.split(",").includes(name));
}

if (import.meta.main) {
  await using scope = new AsyncDisposableStack();
  const [service, media] = [await serviceIn(scope), await peerMediaIn(scope)];
  progress(`${"".padEnd(31)} ${"display     wm browser capture encoder".padStart(34)}`);
  for (const format of chosen(FORMATS, Deno.args[1])) {
    for (const page of chosen(PAGES, Deno.args[0])) {
      await withTimeout(COMPARE_MS, compare(service, media, page, format), "took too long").catch((error) =>
        progress(`${page} ${format}: ${error.message}`)
      );
    }
  }
}
