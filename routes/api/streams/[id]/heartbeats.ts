import { define } from "../../../../lib/app.ts";

export const handler = define.handlers({
  /** The stream's last 24 hours, and its last 30 days. */
  GET: (ctx) => {
    const { service } = ctx.state;
    const { id } = service.streams.get(ctx.params.id, "viewer");
    return ctx.json(service.heartbeats.readOne(id), { headers: { "cache-control": "no-store" } });
  },
});
