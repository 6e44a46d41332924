import { define } from "../../../../lib/app.ts";
import { streamId } from "../../../../lib/model/id.ts";

export const handler = define.handlers({
  POST: async (ctx) => {
    const { service } = ctx.state;
    await service.fleet.get(streamId(ctx.params.id)).work.beginRecreate();
    return ctx.json(await service.statuses.get(ctx.params.id), { status: 202 });
  },
});
