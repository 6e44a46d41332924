/** Which nodes are to give all their streams to others: a text that all nodes share. */
import { ServiceError } from "../errors.ts";
import { SHARED_TRIES, type SharedText } from "../store/shared_text.ts";
import { parsed } from "./buckets.ts";

export const DRAINING = "draining";

/** The names of the nodes. */
export function drainingNodes({ text }: Pick<SharedText, "text">): string[] {
  const names = parsed<unknown>(text);
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/** Has a node give its streams away and take none, or ends that. @throws {ServiceError} 503, 409 */
export async function setDraining(shared: SharedText, node: string, isDraining: boolean): Promise<void> {
  for (let tries = 0; tries < SHARED_TRIES; tries++) {
    const known = drainingNodes(shared);
    if (known.includes(node) === isDraining) return;
    const names = isDraining ? [...known, node] : known.filter((name) => name !== node);
    if (await shared.put(JSON.stringify(names), shared.text)) return;
  }
  throw new ServiceError(409, "Others change the same all the time, so nothing was changed. Try again.");
}
