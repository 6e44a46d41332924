import { define } from "../../../../lib/app.ts";
import { stillResponse } from "../../../../lib/live/picture/response.ts";
import { streamId } from "../../../../lib/model/id.ts";

export const handler = define.handlers({
  /** What the stream shows now, in its full size. */
  GET: ({ req, params, state }) => stillResponse(req, state.service.fleet.get(streamId(params.id)), "jpeg"),
});
