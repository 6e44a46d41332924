import assert from "node:assert/strict";
import { bothFamilies, withBothLoopbacks } from "../../../../lib/machine/net/families.ts";

Deno.test("who listens on an address of one family listens on its twin, where the machine has it", () => {
  const HOSTS: Record<string, string[]> = {
    "127.0.0.1": ["127.0.0.1", "::1"],
    "::1": ["::1", "127.0.0.1"],
    "0.0.0.0": ["0.0.0.0", "::"],
    "::": ["::", "0.0.0.0"],
    "192.0.2.1": ["192.0.2.1"],
  };
  for (const [host, both] of Object.entries(HOSTS)) {
    assert.deepEqual(bothFamilies(host, () => true), both);
    assert.deepEqual(bothFamilies(host, () => false), [host]);
  }
});

Deno.test("a proxy on this machine is trusted by either family", () => {
  const NETWORKS: [given: string[], trusted: string[]][] = [
    [[], []],
    [["127.0.0.1"], ["127.0.0.1", "::1"]],
    [["127.0.0.0/8", "10.0.0.0/8"], ["127.0.0.0/8", "10.0.0.0/8", "::1"]],
    [["127.0.0.1", "::1"], ["127.0.0.1", "::1"]],
    [["10.0.0.0/8"], ["10.0.0.0/8"]],
    [["::1"], ["::1"]],
  ];
  for (const [given, trusted] of NETWORKS) assert.deepEqual(withBothLoopbacks(given), trusted);
});
