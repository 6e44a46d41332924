import { HttpError, page } from "fresh";
import { Head } from "fresh/runtime";
import { NodeList } from "../components/nodes/NodeList.tsx";
import { TvKeys } from "../islands/TvKeys.tsx";
import { define, headerOf } from "../lib/app.ts";
import { formBody } from "../lib/door/body.ts";

const NO_STORE = { "cache-control": "no-store" };

export const handler = define.handlers({
  /** The cluster's nodes. */
  GET: (ctx) => {
    const { placement } = ctx.state.service;
    if (placement.here === null) throw new HttpError(404);
    return page({ nodes: placement.nodes(), problem: placement.problem }, { headers: NO_STORE });
  },

  /** Takes the form: `node`, and `do`, which is "drain" or "resume". */
  POST: async (ctx) => {
    const form = await formBody(ctx.req);
    await ctx.state.service.placement.drain(form.get("node") ?? "", form.get("do") === "drain");
    return new Response(null, { status: 303, headers: { ...NO_STORE, location: "/nodes" } });
  },
});

export default define.page<typeof handler>(function Nodes({ data, state, url }) {
  return (
    <>
      <Head>
        <title>Nodes · Browser Stream</title>
      </Head>
      <TvKeys />
      <NodeList {...data} header={headerOf({ state, url })} />
    </>
  );
});
