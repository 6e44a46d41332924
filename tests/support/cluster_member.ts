/** A cluster for a page: this machine, and another node that only beats, whenever this machine does. */
import { ClusterList } from "../../lib/cluster/cluster_list.ts";
import type { Beat } from "../../lib/cluster/nodes.ts";
import type { Membership } from "../../lib/cluster/member.ts";
import { VERSION } from "../../lib/machine/tools/version.ts";
import { FakeShared } from "./fake_bucket.ts";

const CLUSTER = "walls";

/** @param other the other node's name. @param behindMs of its clock. */
export async function memberBeside(other: string, behindMs: number): Promise<Membership> {
  const shared = new FakeShared();
  await ClusterList.found(shared.buckets.streams.view(), CLUSTER, 0);
  const others = shared.buckets.nodes.view();
  let revision = 0;
  const beat = async () => {
    const facts: Beat = {
      run: "r",
      address: "http://10.0.0.2:3000",
      version: VERSION,
      protocol: 1,
      room: 0.42,
      isDraining: false,
      now: Date.now() - behindMs,
      load: { cores: 2, average: 0.84, totalBytes: 8.2e9, availableBytes: 5.1e9 },
    };
    const text = JSON.stringify(facts);
    // a slow start leaves the beat before time to expire
    revision = await others.put(other, text, revision).catch(() => others.put(other, text, 0));
  };
  await beat();
  const connected = shared.connect();
  connected.buckets.nodes.beforePut = beat;
  return {
    id: CLUSTER,
    name: "wall-a",
    address: "http://10.0.0.1:3000",
    secret: new Uint8Array(32),
    ask: () => Promise.reject(new Error("no route")),
    open: () => Promise.resolve(connected),
  };
}
