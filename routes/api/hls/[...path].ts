import { define } from "../../../lib/app.ts";
import { errorResponse } from "../../../lib/http/errors.ts";
import { proxy, upstreamPath } from "../../../lib/http/proxy.ts";
import { hlsCacheControl } from "../../../lib/media/cache.ts";
import { channelOf, isEmptyPlaylist } from "../../../lib/media/hls.ts";

export const handler = define.handlers({
  GET: async (ctx) => {
    const path = upstreamPath(ctx.url.pathname.slice("/api/hls".length));
    if (path === null || !path.startsWith("/live/")) return errorResponse(404, "There is no such file.");
    const { config, discontinuities } = ctx.state.service;
    const target = `http://127.0.0.1:${config.MEDIA_PORT}${path}`;
    const channel = channelOf(path);
    if (channel === null) return await proxy(ctx.req, target, hlsCacheControl(path));
    // whole and for HEAD as well: it is numbered, and so has another length
    const response = await proxy(
      new Request(target, { signal: ctx.req.signal }),
      target,
      hlsCacheControl(path),
    );
    if (!response.ok) return response;
    if (isEmptyPlaylist(response.headers)) {
      await response.body?.cancel();
      return errorResponse(404, "The channel has no picture yet; it is starting.");
    }
    const playlist = new TextEncoder().encode(discontinuities.numbered(channel, await response.text()));
    response.headers.set("content-length", String(playlist.length));
    response.headers.delete("accept-ranges");
    return new Response(ctx.req.method === "HEAD" ? null : playlist, response);
  },
});
