import { define } from "../../../lib/app.ts";
import { errorResponse } from "../../../lib/http/errors.ts";
import { proxy, upstreamPath } from "../../../lib/http/proxy.ts";
import { hlsCacheControl } from "../../../lib/media/cache.ts";

export const handler = define.handlers({
  GET: (ctx) => {
    const path = upstreamPath(ctx.url.pathname.slice("/api/hls".length));
    if (path === null || !path.startsWith("/live/")) return errorResponse(404, "There is no such file.");
    return proxy(
      ctx.req,
      `http://127.0.0.1:${ctx.state.service.config.MEDIA_PORT}${path}`,
      hlsCacheControl(path),
    );
  },
});
