import { define } from "../../../../../lib/app.ts";
import { textFile } from "../../../../../lib/door/text_file.ts";
import { shownEvents } from "../../../../../lib/model/shown_stream.ts";
import { LIST_TYPE } from "../../../../../lib/rewind/film.ts";

export const handler = define.handlers({
  /** A part of the past for players. */
  GET: async ({ req, params, url, state: { service, admitted: { role } } }) => {
    const stream = service.streams.get(params.id, "operator");
    const past = service.rewind.of(stream, role, req.signal);
    const { events } = shownEvents(service.events.read(stream.id), role);
    return textFile(await past.list(url.searchParams, events), LIST_TYPE, { "cache-control": "no-store" });
  },
});
