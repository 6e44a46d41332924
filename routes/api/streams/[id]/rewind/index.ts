import { define } from "../../../../../lib/app.ts";

export const handler = define.handlers({
  /** The times of which the channel's past is kept. */
  GET: async (ctx) => {
    const { service, admitted } = ctx.state;
    const stream = service.streams.get(ctx.params.id, "operator");
    const past = service.rewind.of(stream, admitted.role, ctx.req.signal);
    const spans = await past.spans(ctx.url.searchParams, admitted.addressBase);
    return ctx.json(spans, { headers: { "cache-control": "no-store" } });
  },
});
