import { define } from "../../../lib/app.ts";

export const handler = define.handlers({
  /** Sends a test message and returns the receiver's answer. */
  POST: async (ctx) => ctx.json(await ctx.state.service.messages.test()),
});
