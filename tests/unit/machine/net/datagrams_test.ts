import { strict as assert } from "node:assert";
import { addressTowards } from "../../../../lib/machine/net/datagrams.ts";

const OWN = [
  { address: "10.1.2.3", netmask: "255.255.255.0" },
  { address: "192.168.7.9", netmask: "255.255.255.128" },
];

Deno.test("datagrams: a client of our own networks gets our address there, no other client gets one", () => {
  const cases: [string, string | null][] = [
    ["10.1.2.200", "10.1.2.3"],
    ["192.168.7.1", "192.168.7.9"],
    ["192.168.7.130", null],
    ["10.1.3.4", null],
    ["203.0.113.5", null],
    ["::1", null],
    ["::ffff:10.1.2.4", null],
    ["", null],
  ];
  for (const [from, towards] of cases) assert.equal(addressTowards(from, OWN), towards, from);
});
