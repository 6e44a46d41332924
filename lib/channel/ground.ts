/** The ground of a channel: its stream, and the parts that all channels of this machine use. */
import type { Config } from "../config.ts";
import type { Machine } from "../machine/machine.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import { SilentClients } from "../machine/net/silent_clients.ts";
import { readOrNull } from "../machine/os/files.ts";
import type { Paths } from "../paths.ts";
import { EntriesFile } from "../store/entries_file.ts";
import type { StreamStore } from "../store/stream_store.ts";
import { Semaphore } from "../machine/tools/concurrency.ts";
import { mediaHeaders } from "./media/access.ts";
import type { SeenPlaylist } from "./breaks.ts";
import { HlsCache } from "./hls_cache.ts";
import type { SlateEntry } from "./slate_playlist.ts";

/** The stream, as far as its channel knows it. */
export interface ChannelStream {
  readonly id: StreamId;
  /** The stream as it is stored; undefined: it was removed. */
  readonly stream: Stream | undefined;
  /** Whether the channel is on the air, or would be as soon as somebody watches. */
  readonly isOnAir: boolean;
  /** Whether the stream runs only while somebody watches, and waits for that. */
  readonly isWaiting: boolean;
  /** Takes the news that somebody watches. */
  watched(): void;
}

export interface ChannelGround {
  machine: Pick<Machine, "now" | "elapsed" | "runBytes" | "playChannel" | "broker">;
  limits: Config["TIMINGS"];
  /** The folder of the media server's files. */
  hlsDir: string;
  /** A folder of ours. */
  webDir: string;
  /** The media server's files. */
  files: HlsCache;
  breaks: EntriesFile<SeenPlaylist>;
  slates: EntriesFile<SlateEntry>;
  /** Slates that nobody waits for are made one after the other. */
  making: Semaphore;
  /** The clients that take nothing of what they are sent. */
  silent: SilentClients;
}

export async function openChannelGround(
  { config, paths, machine, store }: { config: Config; paths: Paths; machine: Machine; store: StreamStore },
): Promise<ChannelGround> {
  const isKnown = (id: string) => isStreamId(id) && store.get(id) !== undefined;
  const { TIMINGS: limits } = config;
  return {
    machine,
    limits,
    hlsDir: paths.hlsDir,
    webDir: paths.webDir,
    files: new HlsCache(`http://127.0.0.1:${config.MEDIA_PORT}`, {
      headers: mediaHeaders(await readOrNull(paths.mediaKeyFile)),
      limits: limits.hls,
      socket: paths.mediaSocket,
    }),
    breaks: await new EntriesFile<SeenPlaylist>(paths.discontinuitiesFile).load(isKnown),
    slates: await new EntriesFile<SlateEntry>(paths.slatesFile).load(isKnown),
    making: new Semaphore(1),
    silent: new SilentClients(() => machine.receiveWindows(config.PORT), machine.elapsed),
  };
}
