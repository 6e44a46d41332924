import { define } from "../../../../lib/app.ts";
import { jsonBody } from "../../../../lib/http/body.ts";

export const handler = define.handlers({
  GET: (ctx) => ctx.json(ctx.state.service.streams.get(ctx.params.id)),

  /** The whole stream; absent fields get their default, an absent password stays. */
  PUT: async (ctx) => {
    const { service } = ctx.state;
    await service.lifecycle.update(ctx.params.id, await jsonBody(ctx.req), false);
    return ctx.json(service.streams.get(ctx.params.id));
  },

  /** Some fields; absent ones stay. */
  PATCH: async (ctx) => {
    const { service } = ctx.state;
    await service.lifecycle.update(ctx.params.id, await jsonBody(ctx.req), true);
    return ctx.json(service.streams.get(ctx.params.id));
  },

  DELETE: async (ctx) => {
    await ctx.state.service.lifecycle.remove(ctx.params.id);
    return new Response(null, { status: 204 });
  },
});
