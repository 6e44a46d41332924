/** One channel on the ground of live streams, with a media server that gives what a test says. */
import { dirname } from "node:path";
import { Channel } from "../../lib/channel/channel.ts";
import { type ChannelGround, openChannelGround } from "../../lib/channel/ground.ts";
import { seedSequence } from "../../lib/channel/media/hls.ts";
import { HlsCache } from "../../lib/channel/hls_cache.ts";
import { HlsProxy } from "../../lib/channel/hls_proxy.ts";
import type { StreamId } from "../../lib/model/id.ts";
import type { Stream } from "../../lib/model/schema.ts";
import type { StreamStore } from "../../lib/store/stream_store.ts";
import { aStream, makeFolders, tempDir } from "./fixture.ts";
import { aGround } from "./ground.ts";

const encode = (text: string) => new TextEncoder().encode(text);

export async function aChannel(fields: Partial<Stream> = {}) {
  const dir = await tempDir("/dev/shm");
  const stream = aStream(fields);
  const store = {
    get: (id: StreamId) => id === stream.id ? stream : undefined,
    list: () => [stream],
  } as unknown as StreamStore;
  const world = aGround({ dir: dir.path, store });
  const { ground, clock, machine } = world;
  await makeFolders(ground.paths);
  await Deno.mkdir(dirname(ground.paths.slatesFile), { recursive: true });
  const media = {
    list: null as string | null,
    /** Segments by their names; all that is not there is as the list. */
    segments: new Map<string, Uint8Array>(),
    /** The names of segments that were asked for. */
    asked: [] as string[],
    /** Segments come when this is resolved. */
    slow: null as PromiseWithResolvers<void> | null,
  };
  const live = {
    id: stream.id,
    stream,
    isOnAir: true,
    isWaiting: false,
    asked: 0,
    watched: () => void live.asked++,
  };
  /** The channel of a web app that has just started. */
  async function begin() {
    const opened = await openChannelGround(ground);
    const files = new HlsCache("http://127.0.0.1:9", {
      now: machine.elapsed,
      limits: { playlistMs: 0 },
      ask: async (path) => {
        const name = path.slice(path.lastIndexOf("/") + 1);
        if (name.endsWith(".ts")) {
          media.asked.push(name);
          await media.slow?.promise;
        }
        const bytes = media.segments.get(name) ?? (media.list === null ? null : encode(media.list));
        const parts = bytes ? [bytes] : [];
        return {
          status: bytes ? 200 : 404,
          headers: new Headers({ "content-length": String(bytes?.length ?? 0) }),
          read: () => Promise.resolve(parts.pop() ?? null),
          cancel: () => {},
        };
      },
    });
    const channels: ChannelGround = { ...opened, files };
    const channel = new Channel(live, channels);
    const settled = () => Promise.all([channels.breaks.settled(), channels.slates.settled()]);
    const doors = {
      find: (id: StreamId) => id === stream.id ? { channel } : undefined,
      list: () => [{ channel }],
    };
    const proxy = new HlsProxy(files, doors);
    return {
      channel,
      proxy,
      /** The playlist as a viewer gets it; "": there is none. @param client "": another node of the cluster. */
      async list(client = "10.0.0.9", query = "", agent = "VLC"): Promise<string> {
        clock.now += 1;
        const request = new Request(`http://localhost/${query}`, { headers: { "user-agent": agent } });
        const answer = await proxy.answer(request, `/live/${stream.id}/index.m3u8`, client);
        const text = await answer.text();
        return answer.ok ? text : "";
      },
      settled,
      async end() {
        await channel.stop();
        await Promise.all([settled(), files.stop()]);
      },
    };
  }
  seedSequence(ground.paths.hlsDir, stream.id, clock.now);
  return { ...world, stream, live, media, begin, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}
