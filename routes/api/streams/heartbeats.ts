import { define } from "../../../lib/app.ts";

export const handler = define.handlers({
  /** The last 24 hours of all streams, for the cards' bars. */
  GET: async (ctx) => {
    const headers = { "cache-control": "no-store", "content-type": "application/json" };
    return new Response(await ctx.state.service.heartbeats.text(), { headers });
  },
});
