import { define } from "../../../../lib/app.ts";
import { jsonBody } from "../../../../lib/door/body.ts";
import { autoReloadChange } from "../../../../lib/model/change.ts";

export const handler = define.handlers({
  POST: async (ctx) => {
    const { streams } = ctx.state.service;
    const { id } = streams.get(ctx.params.id, "viewer");
    return ctx.json(await streams.update(id, autoReloadChange(await jsonBody(ctx.req)), true));
  },
});
