import { define } from "../../../../lib/app.ts";

export const handler = define.handlers({
  /** Sends a test message and returns the receiver's answer. */
  POST: async (ctx) => {
    const { receivers, messages } = ctx.state.service;
    return ctx.json(await messages.test(receivers.get(ctx.params.id).id));
  },
});
