import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  /** The operator's own extensions that streams can choose. */
  GET: async (ctx) => ctx.json(await ctx.state.service.extensions.list()),
});
