import { define } from "../../../lib/app.ts";

export const handler = define.handlers({
  GET: async (ctx) =>
    ctx.json(await ctx.state.service.statuses(), { headers: { "cache-control": "no-store" } }),
});
