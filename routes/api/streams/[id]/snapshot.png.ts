import { define } from "../../../../lib/app.ts";
import { pictureResponse } from "../../../../lib/http/picture_response.ts";
import { streamId } from "../../../../lib/model/id.ts";

export const handler = define.handlers({
  /** The same without loss, for displays of a few colours. */
  GET: async ({ req, params, state }) => {
    const live = state.service.fleet.get(streamId(params.id));
    live.watched();
    const { bytes, takenAt } = await live.still.get("png");
    return pictureResponse(req, bytes, takenAt, "image/png");
  },
});
