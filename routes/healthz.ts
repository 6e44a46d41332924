import { define } from "../lib/app.ts";

/** For the container's HEALTHCHECK: 503 when the supervisor does not answer. */
export const handler = define.handlers({
  GET: async (ctx) => {
    try {
      await ctx.state.service.statuses.all();
      return ctx.json({ status: "ok" });
    } catch {
      return ctx.json({ status: "supervisor does not answer" }, { status: 503 });
    }
  },
});
