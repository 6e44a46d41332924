import { define } from "../../../lib/app.ts";

export const handler = define.handlers({
  GET: (ctx) =>
    ctx.json(ctx.state.service.cluster?.list() ?? [], { headers: { "cache-control": "no-store" } }),
});
