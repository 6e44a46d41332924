import { define } from "../../../../lib/app.ts";
import { eventOffset } from "../../../../lib/model/answers/event_log.ts";
import { shownEvents } from "../../../../lib/model/shown_stream.ts";

export const handler = define.handlers({
  /** The stream's events, the oldest first; with `after`, the events since then. */
  GET: (ctx) => {
    const { service, admitted } = ctx.state;
    const { id } = service.streams.get(ctx.params.id, "viewer");
    const after = eventOffset(ctx.url.searchParams.get("after"));
    return ctx.json(shownEvents(service.events.read(id, after), admitted.role), {
      headers: { "cache-control": "no-store" },
    });
  },
});
