import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  /** The figures of the service, of its machine and of the streams. */
  GET: async (ctx) => {
    const headers = { "cache-control": "no-store" };
    return ctx.json(await ctx.state.service.system.all(), { headers });
  },
});
