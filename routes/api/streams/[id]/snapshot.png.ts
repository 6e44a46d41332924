import { define } from "../../../../lib/app.ts";
import { stillResponse } from "../../../../lib/live/picture/response.ts";
import { streamId } from "../../../../lib/model/id.ts";

export const handler = define.handlers({
  /** The same without loss, for displays of a few colours. */
  GET: ({ req, params, state }) => stillResponse(req, state.service.fleet.get(streamId(params.id)), "png"),
});
