import assert from "node:assert/strict";
import { isInNetworks, parseNetwork } from "../../../../lib/machine/net/networks.ts";

Deno.test("networks and single addresses are read, nothing else", () => {
  for (
    const text of [
      "10.0.0.0/8",
      "0.0.0.0/0",
      "127.0.0.1",
      "10.1.2.3/32",
      "::/0",
      "::1",
      "fd00::/8",
      "::1/128",
    ]
  ) {
    assert.ok(parseNetwork(text), text);
  }
  const bad = [
    "",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/",
    "10.0.0/8",
    "10/8",
    "::/129",
    "::1/x",
    "[::1]",
    "a",
  ];
  for (const text of [...bad, "10.0.0.0/8/8", "010.0.0.1", "fe80::1%eth0", "10.0.0.1 ", "localhost", "*"]) {
    assert.equal(parseNetwork(text), null, text);
  }
});

const CASES: [address: string, networks: string[], isIn: boolean][] = [
  ["10.1.2.3", [], false],
  ["10.1.2.3", ["10.0.0.0/8"], true],
  ["11.1.2.3", ["10.0.0.0/8"], false],
  ["10.1.2.3", ["10.9.9.9/8"], true], // bits behind the prefix do not count
  ["10.1.2.3", ["192.168.0.0/16", "10.1.2.3"], true],
  ["10.1.2.4", ["10.1.2.3"], false],
  ["192.168.5.127", ["192.168.5.0/25"], true],
  ["192.168.5.128", ["192.168.5.0/25"], false],
  ["172.31.255.255", ["172.16.0.0/12"], true],
  ["172.32.0.0", ["172.16.0.0/12"], false],
  ["8.8.8.8", ["0.0.0.0/0"], true],
  ["::1", ["0.0.0.0/0"], false],
  ["::1", ["::1"], true],
  ["::2", ["::1"], false],
  ["fd12:3456::1", ["fd00::/8"], true],
  ["fe80::1", ["fd00::/8"], false],
  ["fe80::1%eth0", ["fe80::/10"], true],
  ["2001:db8:0:ffff::1", ["2001:db8::/48"], true],
  ["2001:db8:1::1", ["2001:db8::/48"], false],
  // a server that listens on [::] sees IPv4 clients like this
  ["::ffff:10.1.2.3", ["10.0.0.0/8"], true],
  ["::ffff:0a01:0203", ["10.0.0.0/8"], true],
  ["::ffff:11.1.2.3", ["10.0.0.0/8"], false],
  ["localhost", ["0.0.0.0/0", "::/0"], false],
  ["", ["0.0.0.0/0", "::/0"], false],
];

for (const [address, networks, isIn] of CASES) {
  Deno.test(`${address || '""'} is ${isIn ? "" : "not "}in ${networks.join(", ") || "nothing"}`, () => {
    assert.equal(isInNetworks(address, networks), isIn);
  });
}
