/** The report of a push. */
import * as z from "zod";

export const PUSH_STATES = ["connecting", "sending", "waiting"] as const;

export const pushReport = z.object({
  state: z.enum(PUSH_STATES).meta({ description: "waiting: the push failed and is tried again." }),
  kbps: z.number().int().min(0).max(1e9).meta({ description: "Kilobits a second that the receiver takes." }),
  problem: z.string().max(300).meta({ description: "The reason of the failure; empty without one." }),
  retrySeconds: z.number().min(0).max(3600).meta({
    description: "Seconds from the failure to the next try.",
  }),
});

export type PushReport = z.output<typeof pushReport>;
