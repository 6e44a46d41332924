/** The names of the nodes that are to give all their streams to other nodes: a text that all nodes share. */
import { changeText, type SharedText } from "../store/shared_text.ts";
import { parsed } from "./buckets.ts";

export const DRAINING = "draining";

/** The names of the nodes. */
export function drainingNodes({ text }: Pick<SharedText, "text">): string[] {
  const names = parsed<unknown>(text);
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/** Has a node give its streams away and take none, or take streams again. @throws {ServiceError} 503, 409 */
export async function setDraining(shared: SharedText, node: string, isDraining: boolean): Promise<void> {
  await changeText(shared, (text) => {
    const known = drainingNodes({ text });
    if (known.includes(node) === isDraining) return null;
    return JSON.stringify(isDraining ? [...known, node] : known.filter((name) => name !== node));
  });
}
