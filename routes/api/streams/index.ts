import { define } from "../../../lib/app.ts";
import { jsonBody } from "../../../lib/http/body.ts";
import { forcing } from "../../../lib/http/forcing.ts";

export const handler = define.handlers({
  GET: (ctx) => {
    const { service: { streams }, admitted: { role } } = ctx.state;
    return ctx.json(streams.list(role), { headers: { "streams-version": streams.version() } });
  },

  POST: async (ctx) => {
    const stream = await ctx.state.service.streams.create(await jsonBody(ctx.req), forcing(ctx.url));
    return ctx.json(stream, { status: 201, headers: { location: `/api/streams/${stream.id}` } });
  },
});
