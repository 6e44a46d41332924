import { AWAY, ok, operationsOf, type Paths, refusal } from "./operation.ts";

const node = operationsOf("Nodes");
const told = [
  ok("The node, which carries out the order within seconds.", "Node"),
  refusal(404, "There is no such node, or this machine is alone."),
  AWAY,
];

/** The paths of a cluster's nodes. */
export const NODE_PATHS: Paths = {
  "/api/nodes": {
    get: node("listNodes", "The nodes of the cluster; a machine that is alone has none", [
      ok("The present nodes, by name.", "Nodes"),
    ]),
  },
  "/api/nodes/{name}/drain": {
    post: node("drainNode", "Have a node give its streams to the other nodes, and take none", told),
  },
  "/api/nodes/{name}/resume": { post: node("resumeNode", "Have a node take streams again", told) },
};
