import { ERRORS, type Operation, type Paths } from "./operation.ts";

const { away } = ERRORS;
const unknown = { what: "There is no such node, or this machine is alone.", json: "Error" } as const;

const told: Operation["answers"] = {
  200: { what: "The node, which does so within seconds.", json: "Node" },
  404: unknown,
  503: away,
};

/** The paths of a cluster's nodes. */
export const NODE_PATHS: Paths = {
  "/api/nodes": {
    get: {
      id: "listNodes",
      tag: "Nodes",
      summary: "The nodes of the cluster; none where this machine is alone",
      answers: { 200: { what: "Those that are heard, by name.", json: "Nodes" } },
    },
  },
  "/api/nodes/{name}/drain": {
    post: {
      id: "drainNode",
      tag: "Nodes",
      summary: "Have a node give its streams to the others, and take none",
      answers: told,
    },
  },
  "/api/nodes/{name}/resume": {
    post: { id: "resumeNode", tag: "Nodes", summary: "Have a node take streams again", answers: told },
  },
};
