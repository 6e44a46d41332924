import { define } from "../../../lib/app.ts";

/** Most requests take the shortcut in lib/cli/serve.ts; this is the address of the rest, such as with a double slash. */
const answer = define.middleware((ctx) =>
  ctx.state.service.hls.answer(ctx.req, ctx.url.pathname.slice("/api/hls".length))
);

export const handler = { GET: answer, HEAD: answer, OPTIONS: answer };
