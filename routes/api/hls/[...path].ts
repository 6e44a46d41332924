import { define } from "../../../lib/app.ts";

const answer = define.middleware((ctx) =>
  ctx.state.service.hls.answer(ctx.req, ctx.url.pathname.slice("/api/hls".length), ctx.state.admitted.client)
);

export const handler = define.handlers({ GET: answer, HEAD: answer, OPTIONS: answer });
