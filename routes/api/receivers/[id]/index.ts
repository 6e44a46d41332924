import { define } from "../../../../lib/app.ts";
import { jsonBody } from "../../../../lib/door/body.ts";
import { receiverAnswer } from "../index.ts";

export const handler = define.handlers({
  /** Absent fields stay, such as secrets. */
  PATCH: async (ctx) => {
    const { service } = ctx.state;
    const stored = await service.receivers.update(
      service.receivers.get(ctx.params.id).id,
      await jsonBody(ctx.req),
    );
    return ctx.json(receiverAnswer(service, stored), { headers: { "cache-control": "no-store" } });
  },

  DELETE: async (ctx) => {
    await ctx.state.service.receivers.remove(ctx.params.id);
    return new Response(null, { status: 204 });
  },
});
