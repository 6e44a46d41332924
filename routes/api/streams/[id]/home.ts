import { define } from "../../../../lib/app.ts";

export const handler = define.handlers({
  POST: async (ctx) => {
    const { service } = ctx.state;
    await service.pages.home(ctx.params.id);
    return ctx.json(await service.status(ctx.params.id));
  },
});
