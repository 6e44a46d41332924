import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  /** Each stream's use of the machine, and its viewers. */
  GET: async (ctx) => {
    const headers = { "cache-control": "no-store" };
    return ctx.json(await ctx.state.service.figures.all(), { headers });
  },
});
