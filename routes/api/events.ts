import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  /** How all streams are, and then what changes, as server-sent events. */
  GET: (ctx) => ctx.state.service.feed.open(ctx.state.admitted.client),
});
