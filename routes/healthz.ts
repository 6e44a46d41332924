import { define } from "../lib/app.ts";

/** For the container's HEALTHCHECK: 503 when the supervisor does not answer. What else needs a person is said with a 200. */
export const handler = define.handlers({
  GET: async (ctx) => {
    try {
      await ctx.state.service.statuses.all();
      const reasons = ctx.state.service.disk.problems();
      return ctx.json(reasons.length > 0 ? { status: "ok", reasons } : { status: "ok" });
    } catch {
      return ctx.json({ status: "supervisor does not answer" }, { status: 503 });
    }
  },
});
