import { define } from "../../../../lib/app.ts";
import {
  noLogoResponse,
  placeholderResponse,
  thumbnailResponse,
} from "../../../../lib/http/thumbnail_response.ts";
import { LOGO_OF } from "../../../../lib/playlist/channels.ts";

export const handler = define.handlers({
  /** The thumbnail; without one a placeholder, and of a running stream one is captured. */
  GET: async (ctx) => {
    const { streams, thumbnails, demand } = ctx.state.service;
    const stream = streams.get(ctx.params.id);
    const thumbnail = await thumbnails.get(stream.id);
    if (thumbnail) return thumbnailResponse(ctx.req, thumbnail.bytes, thumbnail.capturedAt);
    return ctx.url.searchParams.has(LOGO_OF)
      ? noLogoResponse()
      : placeholderResponse(demand.isWanted(stream));
  },

  /** Captures one now; the answer, with the time of the one before, does not wait for it. */
  POST: (ctx) => {
    const { streams, thumbnails } = ctx.state.service;
    const { id } = streams.get(ctx.params.id);
    thumbnails.capture(id);
    return ctx.json({ thumbAt: thumbnails.capturedAt(id) ?? null }, { status: 202 });
  },
});
