/** What nodes of two versions make of each other, by the numbers in their beats. Pure. */
import type { Beat } from "./nodes.ts";

/**
 * What this version speaks: what is in beats, claims, passes and news, and what nodes ask of each other. It rises when an
 * older version would take what is told it for something else; fields that are only new do not raise it.
 */
export const PROTOCOL = 1;
/** The oldest protocol that this version speaks, too. */
export const OLDEST = 1;

/** The protocols that a version speaks: the newest, and the oldest. */
export interface Spoken {
  protocol: number;
  oldest: number;
}

/** Those of this version. */
export const SPOKEN: Spoken = { protocol: PROTOCOL, oldest: OLDEST };

/** Whether this version and a node can ask each other: the newer one speaks as the older one does. */
export function canAsk(
  { protocol, oldest = protocol }: Pick<Beat, "protocol" | "oldest">,
  own = SPOKEN,
): boolean {
  return protocol <= own.protocol ? protocol >= own.oldest : oldest <= own.protocol;
}

/** For who asks this node about a stream that such a node has. */
export function cannotAskText(name: string, { version }: Pick<Beat, "version">, own: string): string {
  return `The node ${name}, which has this stream, has version ${version}, and this one has ${own}: they cannot ask each other. ` +
    "Ask that node, or upgrade the older one.";
}
