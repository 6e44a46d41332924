/** A node of a cluster, as people and programs are told of it. */
import * as z from "zod";

/** Seconds by which clocks may differ: more, and a plan's time is another on each node. */
export const MOST_APART_SECONDS = 5;

const load = z.object({
  cores: z.number().meta({ description: "That it may use." }),
  average: z.number().meta({ description: "Processes that run or are ready to run, over the last minute." }),
  totalBytes: z.number().meta({ description: "Of memory." }),
  availableBytes: z.number(),
});

export const node = z.object({
  name: z.string(),
  isHere: z.boolean().meta({ description: "Whether it is the node that answers." }),
  address: z.string().meta({ description: "Where the other nodes reach it." }),
  version: z.string(),
  streams: z.number().int().meta({ description: "That it has." }),
  freePercent: z.number().int().meta({ description: "The share of the machine that is free for streams." }),
  load: load.nullable().meta({ description: "Of its machine; null: it has not told it." }),
  isDraining: z.boolean().meta({ description: "Whether it gives its streams to the others." }),
  aheadSeconds: z.number().meta({ description: "Of its clock before the cluster's; below 0 it is behind." }),
});

export type NodeFacts = z.infer<typeof node>;
export type NodeLoad = z.infer<typeof load>;
