import { define } from "../../../../lib/app.ts";
import { pathText } from "../../../../lib/door/path_text.ts";
import { jsonBody } from "../../../../lib/door/body.ts";

export const handler = define.handlers({
  /** Changes role or password; both end the user's sessions. */
  PATCH: async (ctx) => {
    const { users } = ctx.state.service.login;
    const { name, role, createdAt } = await users.change(pathText(ctx.params.name), await jsonBody(ctx.req));
    return ctx.json({ name, role, createdAt, by: "users" }, { headers: { "cache-control": "no-store" } });
  },

  /** Removes the user, whose sessions end. */
  DELETE: async (ctx) => {
    await ctx.state.service.login.users.remove(pathText(ctx.params.name));
    return new Response(null, { status: 204 });
  },
});
