import { define } from "../../../../lib/app.ts";
import { forcing } from "../../../../lib/door/forcing.ts";
import { overrideTime } from "../../../../lib/model/plan/stop_until.ts";

export const handler = define.handlers({
  POST: async (ctx) => {
    const { service } = ctx.state;
    const options = { ...forcing(ctx.url), time: overrideTime(ctx.url, true) };
    await service.streams.startStream(ctx.params.id, ctx.req, options);
    return ctx.json(await service.statuses.get(ctx.params.id));
  },
});
