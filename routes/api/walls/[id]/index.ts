import { define } from "../../../../lib/app.ts";
import { jsonBody } from "../../../../lib/door/body.ts";
import { shownWall } from "../../../../lib/model/wall/shown.ts";

export const handler = define.handlers({
  GET: (ctx) => {
    const { service: { walls }, admitted: { role } } = ctx.state;
    return ctx.json(shownWall(walls.get(ctx.params.id), role), { headers: { "cache-control": "no-store" } });
  },
  PUT: async (ctx) =>
    ctx.json(await ctx.state.service.walls.update(ctx.params.id, await jsonBody(ctx.req), false)),
  PATCH: async (ctx) =>
    ctx.json(await ctx.state.service.walls.update(ctx.params.id, await jsonBody(ctx.req), true)),
  DELETE: async (ctx) => {
    await ctx.state.service.walls.remove(ctx.params.id);
    return new Response(null, { status: 204 });
  },
});
