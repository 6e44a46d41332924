import { define } from "../../../../lib/app.ts";
import { eventOffset } from "../../../../lib/model/answers/event_log.ts";

export const handler = define.handlers({
  /** What happened to the stream, the oldest first; with `after`, what came since. */
  GET: (ctx) => {
    const { service } = ctx.state;
    const { id } = service.streams.get(ctx.params.id);
    const after = eventOffset(ctx.url.searchParams.get("after"));
    return ctx.json(service.events.read(id, after), { headers: { "cache-control": "no-store" } });
  },
});
