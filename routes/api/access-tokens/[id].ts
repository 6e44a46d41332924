import { define } from "../../../lib/app.ts";

export const handler = define.handlers({
  /** Revokes the token: the next request with it is refused. */
  DELETE: async (ctx) => {
    await ctx.state.service.accessTokens.revoke(ctx.params.id);
    return new Response(null, { status: 204 });
  },
});
