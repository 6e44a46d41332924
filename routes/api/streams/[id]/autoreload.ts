import { define } from "../../../../lib/app.ts";
import { jsonBody } from "../../../../lib/http/body.ts";
import { autoReloadChange } from "../../../../lib/streams/change.ts";

export const handler = define.handlers({
  POST: async (ctx) => {
    const { service } = ctx.state;
    const { id } = service.streams.get(ctx.params.id);
    await service.lifecycle.update(id, autoReloadChange(await jsonBody(ctx.req)), true);
    return ctx.json(service.streams.get(id));
  },
});
