import { define } from "../../../lib/app.ts";

export const handler = define.handlers({
  GET: (ctx) => ctx.json(ctx.state.service.placement.nodes(), { headers: { "cache-control": "no-store" } }),
});
