import { define } from "../lib/app.ts";
import { apiError, errorResponse } from "../lib/http/errors.ts";
import { isOriginAllowed } from "../lib/http/origin.ts";
import { publicUrl } from "../lib/net/public_url.ts";

/** What programs ask for rather than people: its errors are JSON. */
const FOR_PROGRAMS = /^\/(?:api\/|playlist\.m3u8?$|epg\.xml$)/;

export default define.middleware(async (ctx) => {
  const publicHost = () => publicUrl(ctx.req, ctx.info, ctx.state.service.config).host;
  if (!isOriginAllowed(ctx.req, publicHost)) {
    return errorResponse(403, "This request came from another site's page and was refused.");
  }
  if (!FOR_PROGRAMS.test(ctx.url.pathname)) return await ctx.next();
  try {
    return await ctx.next();
  } catch (error) {
    return apiError(error, ctx.req);
  }
});
