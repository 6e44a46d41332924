import { define } from "../../../lib/app.ts";

export const handler = define.handlers({
  /** Whether there is a receiver of messages about failed streams, and its kind; never the address. */
  GET: (ctx) => ctx.json({ webhook: ctx.state.service.messages.info() }),
});
