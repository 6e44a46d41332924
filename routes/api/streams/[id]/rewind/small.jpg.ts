import { define } from "../../../../../lib/app.ts";
import { pictureResponse } from "../../../../../lib/live/picture/response.ts";

export const handler = define.handlers({
  /** A sheet of small pictures, for a pointer that is dragged over the past. */
  GET: async ({ req, params, url, state: { service, admitted } }) => {
    const past = service.rewind.of(service.streams.get(params.id, "operator"), admitted.role, req.signal);
    const { bytes, since, isSettled } = await past.sheet(url.searchParams, req.signal);
    return pictureResponse(req, bytes, since * 1000, "image/jpeg", isSettled);
  },
});
