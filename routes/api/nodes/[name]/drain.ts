import { define } from "../../../../lib/app.ts";

export const handler = define.handlers({
  POST: async (ctx) => ctx.json(await ctx.state.service.placement.drain(ctx.params.name, true)),
});
