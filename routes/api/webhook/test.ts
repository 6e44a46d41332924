import { define } from "../../../lib/app.ts";

export const handler = define.handlers({
  /** Sends a test message and answers what the receiver said. */
  POST: async (ctx) => ctx.json(await ctx.state.service.webhook.test()),
});
