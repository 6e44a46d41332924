import { define } from "../../lib/app.ts";
import { EVENT_STREAM_HEADERS } from "../../lib/door/event_stream.ts";

export const handler = define.handlers({
  /** The states of all streams, and then their changes, as server-sent events. */
  GET: ({ req, state }) =>
    // a feed without a reader would keep its place
    req.method === "HEAD"
      ? new Response(null, { headers: EVENT_STREAM_HEADERS })
      : state.service.feed.open(state.admitted),
});
