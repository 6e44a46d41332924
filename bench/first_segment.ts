/**
 * From the wish for a channel to its first segment: ours from the request that creates the stream, with its display and
 * its browser; the other project's command started by hand where the page is there already.
 */
import { fetchPlaylist } from "../tests/support/media.ts";
import { playlistUrl } from "../tests/support/channel.ts";
import { type TestService } from "../tests/support/service.ts";
import { type Bench, progress, serviceIn, shortened } from "./bench.ts";
import { median } from "./figures.ts";
import { peerCommand, startOther, surroundingsOf } from "./peer.ts";
import { type PeerMedia, peerMediaIn } from "./peer_media.ts";
import { within } from "../tests/support/within.ts";

const ROUNDS = shortened(5);
const LIMIT_MS = 30_000;

/** Seconds until a playlist has a segment. */
async function secondsUntilListed(url: string, from: number): Promise<number> {
  await within("a segment", LIMIT_MS, async () => (await fetchPlaylist(url))?.segments.length, 20);
  return (performance.now() - from) / 1000;
}

/** With the stream's name, id and channel. */
async function create(service: TestService, name: string): Promise<number> {
  const from = performance.now();
  const created = service.create({ name });
  const seconds = await secondsUntilListed(playlistUrl(service, name), from);
  await created;
  await service.api("DELETE", `/api/streams/${name}`);
  return seconds;
}

/** The peer's command on the display of a stream that runs. */
async function startByHand(
  service: TestService,
  id: string,
  media: PeerMedia,
  name: string,
): Promise<number> {
  const { spec, env } = await surroundingsOf(service, id);
  const from = performance.now();
  await using _command = startOther(peerCommand(spec, media.publishUrl(name)), env);
  return await secondsUntilListed(media.playlistUrl(name), from);
}

export const firstSegment: Bench = {
  name: "start",
  limitMs: 240_000,
  async run(scope) {
    const [service, media] = [await serviceIn(scope), await peerMediaIn(scope)];
    const [ours, baseline]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await create(service, `first-${round}`));
      await using page = await service.temporaryStream({ name: "Page" });
      await service.untilState(page.id, "running");
      baseline.push(await startByHand(service, page.id, media, `first-${round}`));
      progress(`create ${ours.at(-1)!.toFixed(2)} s, by hand ${baseline.at(-1)!.toFixed(2)} s`);
    }
    return [{
      name: "create to first segment",
      ours: median(ours),
      baseline: median(baseline),
      beside: "the direct peer's command on a page that is there",
      unit: "s",
      better: "less",
    }];
  },
};
