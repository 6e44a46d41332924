import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  /** Each stream's use of the machine, and its viewers. */
  GET: async (ctx) => {
    const headers = { "cache-control": "no-store" };
    const { service: { figures }, admitted } = ctx.state;
    return ctx.json(admitted.isPassedOn ? await figures.told() : await figures.all(), { headers });
  },
});
