import { define } from "../../../lib/app.ts";
import { jsonBody } from "../../../lib/http/body.ts";

export const handler = define.handlers({
  /** Takes the new order of all cards: `{"ids": […]}`. */
  PUT: async (ctx) => {
    const ids = await ctx.state.service.streams.reorder(await jsonBody(ctx.req));
    return ctx.json({ ids });
  },
});
