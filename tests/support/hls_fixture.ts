/** An HLS proxy and its cache before a media server that does as the test says. */
import assert from "node:assert/strict";
import { HlsCache, type HlsLimits } from "../../lib/channel/hls_cache.ts";
import { HlsProxy } from "../../lib/channel/hls_proxy.ts";
import { sleep } from "../../lib/machine/tools/time.ts";
import { type Exchange, fakeUpstream, someBytes } from "./upstream.ts";

export const SEGMENT = "/live/clock/1795241652273.ts";
export const PLAYLIST = "/live/clock/index.m3u8";
export const bytes = someBytes(300_000);
export const text =
  "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:1.000,\n1795241652273.ts\n";
export const stamp = { etag: '"a-1"', "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT" };

/** Gives the segment and the playlist as nginx does. */
export function nginx({ path, answer }: Exchange): Promise<void> {
  if (path === SEGMENT) return answer(200, { "content-type": "video/mp2t", ...stamp }, bytes);
  if (path === PLAYLIST) {
    return answer(200, { "content-type": "application/vnd.apple.mpegurl", ...stamp }, text);
  }
  return answer(404, { "content-type": "text/html" }, "<html>nginx</html>");
}

/** A proxy and its cache before a media server that does as told, with a clock of the test's. */
export function setUp(
  handle: (exchange: Exchange) => unknown = nginx,
  limits: Partial<HlsLimits> = {},
) {
  const upstream = fakeUpstream(handle);
  const clock = { now: 0 };
  const cache = new HlsCache(upstream.origin, { limits, now: () => clock.now });
  const proxy = new HlsProxy(cache);
  const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    proxy.answer(new Request("http://localhost/", { method, headers }), path);
  const get = async (path: string, headers?: Record<string, string>) => {
    const response = await ask(path, headers);
    return { response, body: new Uint8Array(await response.arrayBuffer()) };
  };
  return {
    upstream,
    clock,
    cache,
    proxy,
    ask,
    get,
    [Symbol.asyncDispose]: async () => {
      await cache.stop();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** Waits for a condition of the event loop's next turns. */
export async function until(check: () => boolean): Promise<void> {
  const end = Date.now() + 5000;
  while (!check()) {
    assert.ok(Date.now() < end, "waited 5 s");
    await sleep(2);
  }
}
