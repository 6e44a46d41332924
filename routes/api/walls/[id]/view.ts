import { define } from "../../../../lib/app.ts";
import { RUNNING_WALL } from "../../../../lib/model/wall/layout.ts";
import { runningView, wallView } from "../../../../lib/model/wall/view.ts";

export const handler = define.handlers({
  /** The present view of a wall: its slots, with names and states of their streams. */
  GET: async (ctx) => {
    const { service: { streams, statuses, walls }, admitted: { maySee } } = ctx.state;
    const { id } = ctx.params;
    const wall = id === RUNNING_WALL ? null : walls.get(id);
    const source = { streams: streams.list("viewer"), statuses: await statuses.all(), maySee };
    const view = wall ? wallView(wall, source) : runningView(source);
    return ctx.json(view, { headers: { "cache-control": "no-store" } });
  },
});
