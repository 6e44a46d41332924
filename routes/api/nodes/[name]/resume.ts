import { define } from "../../../../lib/app.ts";
import { toldNode } from "../../../../lib/node/told_node.ts";

export const handler = define.handlers({
  POST: async (ctx) => ctx.json(await toldNode(ctx.state.service.cluster, ctx.params.name, false)),
});
