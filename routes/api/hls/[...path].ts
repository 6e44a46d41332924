import { define } from "../../../lib/app.ts";
import { errorResponse } from "../../../lib/http/errors.ts";
import { proxy, upstreamPath } from "../../../lib/http/proxy.ts";
import { hlsCacheControl } from "../../../lib/media/cache.ts";
import { isEmptyPlaylist } from "../../../lib/media/hls.ts";

export const handler = define.handlers({
  GET: async (ctx) => {
    const path = upstreamPath(ctx.url.pathname.slice("/api/hls".length));
    if (path === null || !path.startsWith("/live/")) return errorResponse(404, "There is no such file.");
    const { MEDIA_PORT } = ctx.state.service.config;
    const response = await proxy(ctx.req, `http://127.0.0.1:${MEDIA_PORT}${path}`, hlsCacheControl(path));
    if (path.endsWith(".m3u8") && response.ok && isEmptyPlaylist(response.headers)) {
      await response.body?.cancel();
      return errorResponse(404, "The channel has no picture yet; it is starting.");
    }
    return response;
  },
});
