import { define } from "../../../../lib/app.ts";
import { pathText } from "../../../../lib/door/path_text.ts";

export const handler = define.handlers({
  /** Ends all sessions of the user. */
  POST: async (ctx) => {
    await ctx.state.service.login.users.logOut(pathText(ctx.params.name));
    return new Response(null, { status: 204 });
  },
});
