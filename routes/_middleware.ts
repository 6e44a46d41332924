import { define } from "../lib/app.ts";
import { apiError, errorResponse } from "../lib/http/errors.ts";
import { isOriginAllowed } from "../lib/http/origin.ts";

export default define.middleware(async (ctx) => {
  if (!isOriginAllowed(ctx.req)) {
    return errorResponse(403, "This request came from another site's page and was refused.");
  }
  if (!ctx.url.pathname.startsWith("/api/")) return await ctx.next();
  try {
    return await ctx.next();
  } catch (error) {
    return apiError(error, ctx.req);
  }
});
