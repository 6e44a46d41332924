import { define } from "../../../lib/app.ts";

export const handler = define.handlers({
  /** Whether somebody is told when a stream fails, and by what; never the address. */
  GET: (ctx) => ctx.json({ webhook: ctx.state.service.webhook.info() }),
});
