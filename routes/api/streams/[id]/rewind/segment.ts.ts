import { define } from "../../../../../lib/app.ts";
import { pictureResponse } from "../../../../../lib/live/picture/response.ts";

export const handler = define.handlers({
  /** A segment of such a list, which is made when it is asked for. */
  GET: async ({ req, params, url, state: { service, admitted } }) => {
    const past = service.rewind.of(service.streams.get(params.id, "operator"), admitted.role, req.signal);
    const { bytes, since } = await past.segment(url.searchParams, req.signal);
    return pictureResponse(req, bytes, since * 1000, "video/mp2t", true);
  },
});
