import { define } from "../../../lib/app.ts";
import { peopleOf } from "../../../lib/door/access/people.ts";
import { jsonBody } from "../../../lib/door/body.ts";

const PRIVATE = { "cache-control": "no-store" };

export const handler = define.handlers({
  /** Who may log in, without what they log in with. */
  GET: (ctx) => ctx.json(peopleOf(ctx.state.service.login), { headers: PRIVATE }),

  POST: async (ctx) => {
    const { name, role, createdAt } = await ctx.state.service.login.users.add(await jsonBody(ctx.req));
    const headers = { ...PRIVATE, location: `/api/users/${encodeURIComponent(name)}` };
    return ctx.json({ name, role, createdAt, by: "users" }, { status: 201, headers });
  },
});
