import { define } from "../../../lib/app.ts";
import { errorResponse, rawPath } from "../../../lib/door/errors.ts";
import { proxy } from "../../../lib/door/proxy.ts";
import { CLIENT_CACHE_CONTROL, clientFile } from "../../../lib/takeover/client_files.ts";

/** noVNC's own files; our page on its core is in static/api/webvnc/. */
export const handler = define.handlers({
  GET: async (ctx) => {
    const path = clientFile(rawPath(ctx.req.url).slice("/api/webvnc".length));
    if (path === null) return errorResponse(404, "There is no such file.");
    const { vncProxy, config: { TIMINGS } } = ctx.state.service;
    const target = `http://127.0.0.1:${vncProxy.port}${path}`;
    const response = await proxy(ctx.req, target, {
      cacheControl: CLIENT_CACHE_CONTROL,
      server: "The VNC proxy",
      limits: TIMINGS.hls,
      isOurs: () => vncProxy.isOurs(),
    });
    if (response.ok || response.status === 304 || response.status >= 500) return response;
    await response.body?.cancel();
    return errorResponse(404, "There is no such file.");
  },
});
