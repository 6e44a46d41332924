import { HttpError, page } from "fresh";
import { Head } from "fresh/runtime";
import { NodeList } from "../components/nodes/NodeList.tsx";
import { define } from "../lib/app.ts";
import { formBody } from "../lib/http/body.ts";
import { toldNode } from "../lib/node/told_node.ts";

const NO_STORE = { "cache-control": "no-store" };

export const handler = define.handlers({
  /** The cluster's nodes. */
  GET: (ctx) => {
    const { cluster } = ctx.state.service;
    if (!cluster) throw new HttpError(404);
    return page({ nodes: cluster.list(), problem: cluster.problem }, { headers: NO_STORE });
  },

  /** Takes the form: `node`, and `do`, which is "drain" or "resume". */
  POST: async (ctx) => {
    const form = await formBody(ctx.req);
    await toldNode(ctx.state.service.cluster, form.get("node") ?? "", form.get("do") === "drain");
    return new Response(null, { status: 303, headers: { ...NO_STORE, location: "/nodes" } });
  },
});

export default define.page<typeof handler>(function Nodes({ data }) {
  return (
    <>
      <Head>
        <title>Nodes · Browser Stream</title>
      </Head>
      <NodeList {...data} />
    </>
  );
});
