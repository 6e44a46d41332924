import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  /** What each stream takes, and its viewers. */
  GET: async (ctx) => {
    const headers = { "cache-control": "no-store" };
    return ctx.json(await ctx.state.service.figures.all(), { headers });
  },
});
