import { define } from "../../../lib/app.ts";
import { jsonBody } from "../../../lib/door/body.ts";

export const handler = define.handlers({
  /** Takes the new order of all cards: `{"ids": […]}`; with `"renumber": true` it numbers their channels, too. */
  PUT: async (ctx) => {
    const ids = await ctx.state.service.streams.reorder(await jsonBody(ctx.req));
    return ctx.json({ ids });
  },
});
