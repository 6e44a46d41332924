import { define } from "../../../lib/app.ts";

export const handler = define.handlers({
  /** The last 24 hours of all streams, for the cards' bars. */
  GET: (ctx) => {
    const headers = { "cache-control": "no-store" };
    return ctx.json(ctx.state.service.heartbeats.read(), { headers });
  },
});
