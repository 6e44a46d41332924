import { define } from "../../../../lib/app.ts";
import {
  noLogoResponse,
  pictureResponse,
  placeholderResponse,
} from "../../../../lib/live/picture/response.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { LOGO_OF } from "../../../../lib/channel/playlist/channels.ts";

export const handler = define.handlers({
  /** The thumbnail. Without one the answer is a placeholder, and a running stream's is captured, though not for HEAD. */
  GET: async (ctx) => {
    const live = ctx.state.service.fleet.get(streamId(ctx.params.id));
    const thumbnail = ctx.req.method === "HEAD" ? await live.thumbnail.kept() : await live.thumbnail.get();
    if (thumbnail) {
      const { bytes, capturedAt } = thumbnail;
      const isNamed = ctx.url.searchParams.get("at") === String(capturedAt);
      return pictureResponse(ctx.req, bytes, capturedAt, "image/jpeg", isNamed);
    }
    return ctx.url.searchParams.has(LOGO_OF) ? noLogoResponse() : placeholderResponse(live.work.isWanted);
  },

  /** Captures a thumbnail now; the answer does not wait for it and has the time of the thumbnail before. */
  POST: (ctx) => {
    const { thumbnail } = ctx.state.service.fleet.get(streamId(ctx.params.id));
    thumbnail.capture();
    return ctx.json({ thumbAt: thumbnail.capturedAt ?? null }, { status: 202 });
  },
});
