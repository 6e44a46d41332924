import { define } from "../../../../lib/app.ts";

export const handler = define.handlers({
  POST: async (ctx) => {
    const { service } = ctx.state;
    await service.lifecycle.recreate(ctx.params.id);
    return ctx.json(await service.status(ctx.params.id));
  },
});
