/** Whether nodes of two versions understand each other, by the numbers in their beats. Pure. */
import type { Beat } from "./nodes.ts";

/**
 * The number of what this version writes into beats, claims, passes and news, and of the requests between nodes. The number
 * rises when an older version would misunderstand them; a new field that older versions ignore does not raise it.
 */
export const PROTOCOL = 1;
/** The oldest protocol that this version understands. */
export const OLDEST = 1;

/** The newest and the oldest protocol that a version understands. */
export interface Spoken {
  protocol: number;
  oldest: number;
}

/** The protocols of this version. */
export const SPOKEN: Spoken = { protocol: PROTOCOL, oldest: OLDEST };

/** Whether this version and a node can ask each other: the newer one speaks as the older one does. */
export function canAsk(
  { protocol, oldest = protocol }: Pick<Beat, "protocol" | "oldest">,
  own = SPOKEN,
): boolean {
  return protocol <= own.protocol ? protocol >= own.oldest : oldest <= own.protocol;
}

/** The answer to a client that asks this node about a stream of a node with another protocol. */
export function cannotAskText(name: string, { version }: Pick<Beat, "version">, own: string): string {
  return `The node ${name}, which has this stream, has version ${version}, and this one has ${own}: they cannot ask each other. ` +
    "Ask that node, or upgrade the older one.";
}
