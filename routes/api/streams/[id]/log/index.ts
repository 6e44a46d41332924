import { define } from "../../../../../lib/app.ts";

export const handler = define.handlers({
  GET: async (ctx) => {
    const programs = await ctx.state.service.logs(ctx.params.id).list();
    return ctx.json({ programs }, { headers: { "cache-control": "no-store" } });
  },
});
