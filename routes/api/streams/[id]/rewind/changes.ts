import { define } from "../../../../../lib/app.ts";
import { shownEvents } from "../../../../../lib/model/shown_stream.ts";

export const handler = define.handlers({
  /** How much changed when, with the stream's events. */
  GET: async (ctx) => {
    const { service, admitted: { role } } = ctx.state;
    const stream = service.streams.get(ctx.params.id, "operator");
    const past = service.rewind.of(stream, role, ctx.req.signal);
    const { events } = shownEvents(service.events.read(stream.id), role);
    const changes = await past.changes(ctx.url.searchParams, events);
    return ctx.json(changes, { headers: { "cache-control": "no-store" } });
  },
});
