import { define } from "../../../lib/app.ts";
import { jsonBody } from "../../../lib/http/body.ts";

export const handler = define.handlers({
  GET: (ctx) => {
    const { streams } = ctx.state.service;
    return ctx.json(streams.list(), { headers: { "streams-version": streams.version() } });
  },

  POST: async (ctx) => {
    const { service } = ctx.state;
    const { id } = await service.lifecycle.create(await jsonBody(ctx.req));
    return ctx.json(service.streams.get(id), { status: 201, headers: { location: `/api/streams/${id}` } });
  },
});
