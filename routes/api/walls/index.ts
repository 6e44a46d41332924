import { define } from "../../../lib/app.ts";
import { jsonBody } from "../../../lib/door/body.ts";
import { shownWall } from "../../../lib/model/wall/shown.ts";

export const handler = define.handlers({
  /** All walls, with the oldest first. */
  GET: (ctx) => {
    const { service: { walls }, admitted: { role } } = ctx.state;
    return ctx.json(walls.list().map((wall) => shownWall(wall, role)), {
      headers: { "cache-control": "no-store" },
    });
  },

  POST: async (ctx) => {
    const wall = await ctx.state.service.walls.create(await jsonBody(ctx.req));
    return ctx.json(wall, { status: 201, headers: { location: `/api/walls/${wall.id}` } });
  },
});
