import { define } from "../../../lib/app.ts";

export const handler = define.handlers({
  /** The states, with the list's version: boards fetch the list only when the version differs. */
  GET: async (ctx) => {
    const { service } = ctx.state;
    const headers = { "cache-control": "no-store", "streams-version": service.streams.version() };
    return ctx.json(await service.statuses.all(), { headers });
  },
});
