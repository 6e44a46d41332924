import { define } from "../../../lib/app.ts";
import { jsonBody, STREAM_LIST } from "../../../lib/door/body.ts";
import { forcing } from "../../../lib/door/forcing.ts";

export const handler = define.handlers({
  /** Imports a list of streams, and the walls beside it; with `preview`, only returns the expected changes. */
  POST: async (ctx) => {
    const { streams, walls } = ctx.state.service;
    const content = await jsonBody(ctx.req, STREAM_LIST);
    const isPreview = ctx.url.searchParams.has("preview");
    walls.previewImport(content, () => true); // a bad wall refuses the streams, too
    const summary =
      await (isPreview ? streams.previewImport(content) : streams.import(content, forcing(ctx.url)));
    const ids = new Set([...streams.list("viewer"), ...summary.added].map(({ id }) => String(id)));
    const has = (id: string) => ids.has(id);
    const ofWalls = isPreview ? walls.previewImport(content, has) : await walls.import(content, has);
    return ctx.json({ ...summary, walls: ofWalls, applied: !isPreview });
  },
});
