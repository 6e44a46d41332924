import { define } from "../../lib/app.ts";
import { EVENT_STREAM_HEADERS } from "../../lib/http/event_stream.ts";

export const handler = define.handlers({
  /** How all streams are, and then what changes, as server-sent events. */
  GET: ({ req, state }) =>
    // a stream that nobody reads would keep its place
    req.method === "HEAD"
      ? new Response(null, { headers: EVENT_STREAM_HEADERS })
      : state.service.feed.open(state.admitted.client),
});
