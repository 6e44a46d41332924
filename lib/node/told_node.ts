/** What a person tells a node of the cluster. */
import { ServiceError } from "../errors.ts";
import type { NodeFacts } from "../model/answers/node.ts";
import type { Cluster } from "./cluster.ts";

/** Has a node give its streams away, or take streams again. @throws {ServiceError} 404; 503 when the cluster is away. */
export async function toldNode(
  cluster: Cluster | null,
  name: string,
  isDraining: boolean,
): Promise<NodeFacts> {
  const node = cluster?.list().find((one) => one.name === name);
  if (!cluster || !node) {
    throw new ServiceError(404, `There is no node "${name.slice(0, 63)}" in a cluster here.`);
  }
  await cluster.drain(name, isDraining);
  return { ...node, isDraining };
}
