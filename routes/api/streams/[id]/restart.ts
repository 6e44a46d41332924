import { define } from "../../../../lib/app.ts";
import { forcing } from "../../../../lib/door/forcing.ts";

export const handler = define.handlers({
  POST: async (ctx) => {
    const { service } = ctx.state;
    await service.streams.restart(ctx.params.id, ctx.req, forcing(ctx.url));
    return ctx.json(await service.statuses.get(ctx.params.id));
  },
});
