import { define } from "../../../../lib/app.ts";
import { pictureResponse } from "../../../../lib/http/picture_response.ts";
import { streamId } from "../../../../lib/model/id.ts";

export const handler = define.handlers({
  /** What the stream shows now, in its full size. Whoever asks counts as somebody who watches. */
  GET: async ({ req, params, state }) => {
    const live = state.service.fleet.get(streamId(params.id));
    live.watched();
    const { bytes, takenAt } = await live.still.get("jpeg");
    return pictureResponse(req, bytes, takenAt);
  },
});
