import { serviceHealth } from "../lib/reports/service_health.ts";
import { define } from "../lib/app.ts";

export const handler = define.handlers({
  /** For a container's HEALTHCHECK and monitors: 503 when the service cannot do its work, with the reasons. */
  GET: async (ctx) => {
    const { statuses, disk } = ctx.state.service;
    const { isHealthy, reasons } = await serviceHealth({
      programs: () => statuses.programs(),
      diskProblems: () => disk.problems(),
    });
    const answer = { status: isHealthy ? "ok" : "unhealthy", ...(reasons.length > 0 ? { reasons } : {}) };
    return ctx.json(answer, { status: isHealthy ? 200 : 503, headers: { "cache-control": "no-store" } });
  },
});
