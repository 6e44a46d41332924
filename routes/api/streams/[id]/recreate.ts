import { define } from "../../../../lib/app.ts";
import { streamId } from "../../../../lib/streams/id.ts";

export const handler = define.handlers({
  POST: async (ctx) => {
    const { service } = ctx.state;
    await service.reconciler.recreate(streamId(ctx.params.id), ctx.req);
    return ctx.json(await service.statuses.get(ctx.params.id));
  },
});
