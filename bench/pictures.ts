/** What pictures cost: streams that a core carries, beside another project's command line (docs/pipeline.md) alone on the same display. */
import { type TestService } from "../tests/support/service.ts";
import { type Bench, progress, serviceIn, shortened } from "./bench.ts";
import { median } from "./figures.ts";
import { peerCommand, startOther, surroundingsOf } from "./peer.ts";
import { type PeerMedia, peerMediaIn } from "./peer_media.ts";
import { cpu } from "./processes.ts";
import type { Row } from "./table.ts";
import { pause, within } from "../tests/support/within.ts";

const WINDOW_MS = shortened(8) * 1000;
const WINDOWS = shortened(3);
/** From the start of what is compared to the first window. */
const SETTLE_MS = 8000;
/** Until the page is asked for, at most; our encoder begins when the peer's command has been measured. */
const PAGE_MS = 12_000;
const DELAY_S = (PAGE_MS + SETTLE_MS + WINDOWS * WINDOW_MS) / 1000 + 2;
/** What a stream needs beside the encoder. */
const AROUND = ["display", "wm", "browser"] as const;

/** The peer's own settings, for its own job. */
const JOB = { resolution: "1920x1080", scale: "1280x720", fps: 30, preset: "ultrafast", bufsize: "3000k" };

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
  page: string,
  name: string,
): Promise<Row[]> {
  const asked = service.pageRequests.length;
  const url = `${service.pageUrl}${page}.html`;
  await using stream = await service.temporaryStream({
    name: "Load",
    url,
    ...JOB,
    delay: DELAY_S,
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
    name: `${name}, ${what}`,
    ours: perCore(ours, own),
    baseline: perCore(peers, others),
    beside,
    unit: "streams a core",
    better: "more",
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
      ...await streamsPerCore(service, media, "static", "ticking page"),
      ...await streamsPerCore(service, media, "moving", "moving page"),
    ];
  },
};
