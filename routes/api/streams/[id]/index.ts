import { define } from "../../../../lib/app.ts";
import { jsonBody } from "../../../../lib/door/body.ts";
import { forcing } from "../../../../lib/door/forcing.ts";

export const handler = define.handlers({
  GET: (ctx) => {
    const { service, admitted } = ctx.state;
    return ctx.json(service.streams.get(ctx.params.id, admitted.role));
  },

  /** Replaces the whole stream; absent fields get their default, an absent password stays. */
  PUT: async (ctx) => {
    const { streams } = ctx.state.service;
    return ctx.json(await streams.update(ctx.params.id, await jsonBody(ctx.req), false, forcing(ctx.url)));
  },

  /** Changes some fields; absent fields stay. */
  PATCH: async (ctx) => {
    const { streams } = ctx.state.service;
    return ctx.json(await streams.update(ctx.params.id, await jsonBody(ctx.req), true, forcing(ctx.url)));
  },

  DELETE: async (ctx) => {
    await ctx.state.service.streams.remove(ctx.params.id);
    return new Response(null, { status: 204 });
  },
});
