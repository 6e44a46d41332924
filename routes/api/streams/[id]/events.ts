import { define } from "../../../../lib/app.ts";
import { eventOffset } from "../../../../lib/model/answers/event_log.ts";

export const handler = define.handlers({
  /** The stream's events, the oldest first; with `after`, the events since then. */
  GET: (ctx) => {
    const { service } = ctx.state;
    const { id } = service.streams.get(ctx.params.id);
    const after = eventOffset(ctx.url.searchParams.get("after"));
    return ctx.json(service.events.read(id, after), { headers: { "cache-control": "no-store" } });
  },
});
