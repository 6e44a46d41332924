/** The channels as viewers get them: the media server's files, numbered on, with a slate where one starts. */
import { mediaHeaders } from "../media/access.ts";
import { DiscontinuitySequences } from "../media/discontinuity_sequence.ts";
import { channelOf, playlistTime } from "../media/hls.ts";
import { HlsCache } from "../media/hls_cache.ts";
import { type HlsHelp, HlsProxy } from "../media/hls_proxy.ts";
import { Pictures } from "../media/pictures/pictures.ts";
import { Relays } from "../media/relay/relays.ts";
import type { WatchingParts } from "../media/relay/watching.ts";
import { PlaylistWait } from "../media/playlist_wait.ts";
import { Slates } from "../media/slates.ts";
import { Traffic } from "../media/traffic.ts";
import { Viewers } from "../media/viewers.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import { SilentClients } from "../net/silent_clients.ts";
import { readOrNull } from "../os/files.ts";
import type { Base } from "./access.ts";

export type Channels = Awaited<ReturnType<typeof openChannels>>;

/** @param watched takes each request for a channel, before it is answered. */
export async function openChannels(
  { config, paths, machine, store, placement }: Base,
  { watched, isOnAir, isWaiting }:
    & Pick<WatchingParts, "watched" | "isOnAir">
    & Pick<HlsHelp, "isWaiting">,
) {
  const { now, elapsed } = machine, limits = config.TIMINGS;
  const stream = (id: StreamId) => store.get(id);
  const discontinuities = await DiscontinuitySequences.open(
    paths.discontinuitiesFile,
    (id) => isStreamId(id) && store.get(id) !== undefined,
  );
  const slates = await Slates.open({
    file: paths.slatesFile,
    folder: paths.webDir,
    run: (argv, options) => machine.runBytes(argv, options),
    ...{ stream, discontinuities, limits, now, elapsed },
  });
  const cache = new HlsCache(`http://127.0.0.1:${config.MEDIA_PORT}`, {
    headers: mediaHeaders(await readOrNull(paths.mediaKeyFile)),
    limits: limits.hls,
    socket: paths.mediaSocket,
    rewritePlaylist: (path, playlist) => {
      const id = channelOf(path);
      return id === null ? playlist : slates.listed(id, playlist);
    },
  });
  const audience = new Viewers(elapsed);
  const traffic = new Traffic();
  const wait = new PlaylistWait((id) => playlistTime(paths.hlsDir, id), elapsed);
  const hls = new HlsProxy(cache, {
    onask: watched,
    onviewer: (id, request, client) => audience.note(id, client, request.headers.get("user-agent")),
    onsend: (id, bytes) => traffic.note(id, bytes),
  }, { slates, wait, before: (path) => placement.before(path), isWaiting });
  const silent = new SilentClients(() => machine.receiveWindows(config.PORT), elapsed);
  const watching = { isOnAir, watched, silentMs: silent.idleMs, audience, traffic, elapsed, stream };
  const relays = new Relays({ ...watching, play: machine.playChannel });
  const pictures = new Pictures({ ...watching, watchDisplay: (...asked) => machine.broker.watch(...asked) });
  const saved = () => Promise.all([discontinuities.saved(), slates.settled()]);
  const all = [relays, pictures, audience, traffic, discontinuities];
  const forget = (id: StreamId) => all.forEach((one) => one.forget(id));
  return { slates, cache, audience, traffic, hls, relays, pictures, silent, saved, forget };
}
