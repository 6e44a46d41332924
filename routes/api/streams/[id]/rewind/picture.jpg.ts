import { define } from "../../../../../lib/app.ts";
import { pictureResponse } from "../../../../../lib/live/picture/response.ts";

export const handler = define.handlers({
  /** What was shown at a second; `Memento-Datetime` says since when. */
  GET: async ({ req, params, url, state: { service, admitted } }) => {
    const past = service.rewind.of(service.streams.get(params.id, "operator"), admitted.role, req.signal);
    const { bytes, since } = await past.picture(url.searchParams, req.signal);
    const response = pictureResponse(req, bytes, since * 1000, "image/jpeg", true);
    response.headers.set("memento-datetime", new Date(since * 1000).toUTCString());
    return response;
  },
});
