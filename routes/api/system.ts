import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  /** The figures of the service, of its machine and of the streams. */
  GET: async (ctx) => {
    const headers = { "cache-control": "no-store", "content-type": "application/json" };
    return new Response(await ctx.state.service.system.text(), { headers });
  },
});
