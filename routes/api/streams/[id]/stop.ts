import { define } from "../../../../lib/app.ts";
import { overrideTime } from "../../../../lib/model/plan/stop_until.ts";

export const handler = define.handlers({
  POST: async (ctx) => {
    const { service } = ctx.state;
    await service.streams.stopStream(ctx.params.id, overrideTime(ctx.url, false));
    return ctx.json(await service.statuses.get(ctx.params.id));
  },
});
