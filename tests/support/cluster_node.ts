/** A service's part as a node of a cluster, which a test may look into. */
import assert from "node:assert/strict";
import { ClusterNode } from "../../lib/cluster/node.ts";
import type { Service } from "../../lib/service.ts";

export function nodeOf({ service: { placement } }: { service: Pick<Service, "placement"> }): ClusterNode {
  assert.ok(placement instanceof ClusterNode, "the machine is alone");
  return placement;
}
