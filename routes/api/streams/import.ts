import { define } from "../../../lib/app.ts";
import { jsonBody, STREAM_LIST } from "../../../lib/http/body.ts";
import { forcing } from "../../../lib/http/forcing.ts";

export const handler = define.handlers({
  /** Imports a list of streams; with `preview`, only returns the expected changes. */
  POST: async (ctx) => {
    const { streams } = ctx.state.service;
    const content = await jsonBody(ctx.req, STREAM_LIST);
    const isPreview = ctx.url.searchParams.has("preview");
    const summary =
      await (isPreview ? streams.previewImport(content) : streams.import(content, forcing(ctx.url)));
    return ctx.json({ ...summary, applied: !isPreview });
  },
});
