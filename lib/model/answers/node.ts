/** A node of a cluster, as people and programs are told of it. */
import * as z from "zod";

/** Seconds by which clocks may differ: more, and a plan's time is another on each node. */
export const MOST_APART_SECONDS = 5;

export const node = z.object({
  name: z.string(),
  isHere: z.boolean().meta({ description: "Whether it is the node that answers." }),
  address: z.string().meta({ description: "Where the other nodes reach it." }),
  version: z.string(),
  streams: z.number().int().meta({ description: "That it has." }),
  freePercent: z.number().int().meta({ description: "The share of the machine that is free for streams." }),
  isDraining: z.boolean().meta({ description: "Whether it gives its streams to the others." }),
  aheadSeconds: z.number().meta({ description: "Of its clock before the cluster's; below 0 it is behind." }),
});

export type NodeFacts = z.infer<typeof node>;
