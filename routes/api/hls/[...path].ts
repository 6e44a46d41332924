import { define } from "../../../lib/app.ts";

/** All methods: the answer to a wrong one is for players of other sites as well. */
export const handler = define.middleware((ctx) =>
  ctx.state.service.hls.answer(ctx.req, ctx.url.pathname.slice("/api/hls".length))
);
