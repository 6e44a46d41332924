import { define } from "../../../lib/app.ts";
import { jsonBody } from "../../../lib/door/body.ts";

export const handler = define.handlers({
  /** Opens a page that is not a stream yet, and returns the result. */
  POST: async (ctx) => ctx.json(await ctx.state.service.trial.tryPage(await jsonBody(ctx.req), ctx.req)),
});
