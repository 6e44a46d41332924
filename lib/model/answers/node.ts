/** A node of a cluster, as pages and the API show it. */
import * as z from "zod";

/** Seconds by which clocks may differ: more, and a plan's time is another on each node. */
export const MOST_APART_SECONDS = 5;

const load = z.object({
  cores: z.number().meta({ description: "The processors that the service may use." }),
  average: z.number().meta({ description: "Processes that run or are ready to run, over the last minute." }),
  totalBytes: z.number().meta({ description: "Bytes of memory." }),
  availableBytes: z.number(),
});

export const node = z.object({
  name: z.string(),
  isHere: z.boolean().meta({ description: "Whether this node answers the request." }),
  address: z.string().meta({ description: "The address for the other nodes." }),
  version: z.string(),
  streams: z.number().int().meta({ description: "The number of streams that the node has." }),
  freePercent: z.number().int().meta({ description: "The share of the machine that is free for streams." }),
  load: load.nullable().meta({ description: "The load of its machine; null: it is not known." }),
  isDraining: z.boolean().meta({ description: "Whether the node gives its streams to the others." }),
  aheadSeconds: z.number().meta({
    description: "Seconds that the node's clock is ahead of the cluster's; below 0 it is behind.",
  }),
});

export type NodeFacts = z.infer<typeof node>;
export type NodeLoad = z.infer<typeof load>;
