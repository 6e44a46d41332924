import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  /** How the service and its machine are, and what the streams take. */
  GET: async (ctx) => {
    const headers = { "cache-control": "no-store" };
    return ctx.json(await ctx.state.service.system.all(), { headers });
  },
});
