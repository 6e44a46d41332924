import { define } from "../../../lib/app.ts";
import { shownStatuses } from "../../../lib/model/shown_stream.ts";

export const handler = define.handlers({
  /** The states, with the list's version: boards fetch the list only when the version differs. `id`: only that stream's. */
  GET: async (ctx) => {
    const { service, admitted: { role } } = ctx.state;
    const headers = { "cache-control": "no-store", "streams-version": service.streams.version() };
    const id = ctx.url.searchParams.get("id");
    const statuses = id === null ? await service.statuses.all() : { [id]: await service.statuses.get(id) };
    return ctx.json(shownStatuses(statuses, role), { headers });
  },
});
