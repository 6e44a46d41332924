import assert from "node:assert/strict";
import { type Network, placeProblem } from "../../../lib/reach/reach.ts";

const NAMES: Record<string, string[]> = {
  "grafana.lan": ["192.168.1.7"],
  "example.org": ["93.184.216.34", "2606:2800::1"],
  "loop.example": ["127.0.0.1"],
  "loop6.example": ["::1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "half.example": ["93.184.216.34", "127.0.0.2"],
  "self.example": ["192.168.1.5"],
  "meta.example": ["169.254.169.254"],
  "meta6.example": ["fd00:ec2::254"],
  "metamapped.example": ["::ffff:169.254.169.254"],
  "metatranslated.example": ["64:ff9b::a9fe:a9fe"],
  "meta6to4.example": ["2002:a9fe:a9fe::1"],
};

const network: Network = {
  hostname: "Wall",
  ownAddresses: () => ["127.0.0.1", "192.168.1.5", "fe80::5%eth0", "fd12::5", "::1"],
  ownNetworks: () => [],
  resolve: (name) => Promise.resolve(NAMES[name] ?? []),
};

const LOCAL = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "x.localhost",
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "017700000001",
  "0177.0.0.1",
  "0",
  "0.0.0.0",
  "0.1.2.3",
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[::ffff:0.0.0.0]",
  "127。0。0。1",
  "①②⑦.0.0.1",
  "192.168.1.5",
  "[::ffff:192.168.1.5]",
  "[fd12::5]",
  "[fe80::5]",
  "wall",
  "WALL.",
  ...["loop.example", "loop6.example", "mapped.example", "half.example", "self.example"],
];

for (const host of LOCAL) {
  Deno.test(`a page on this machine (${host}) is refused unless that is allowed`, async () => {
    const url = `http://user@${host}:3000/x`;
    assert.match(String(await placeProblem(url, network, false)), /ALLOW_LOCAL_STREAMS=true/);
    assert.equal(await placeProblem(url, network, true), null);
  });
}

const METADATA = [
  ...["meta.example", "meta6.example", "metamapped.example", "metatranslated.example", "meta6to4.example"],
  ...["169.254.170.23", "[2002:a9fe:a9fe::1]"],
];

for (const host of METADATA) {
  Deno.test(`a metadata service (${host}) is refused, also where this machine is allowed`, async () => {
    for (const isLocalAllowed of [true, false]) {
      assert.match(String(await placeProblem(`http://${host}/`, network, isLocalAllowed)), /metadata/);
    }
  });
}

Deno.test("pages elsewhere are let through, and names that nobody knows yet", async () => {
  const hosts = [
    "grafana.lan",
    "192.168.1.7",
    "10.0.0.1",
    "[fd12::7]",
    "example.org",
    "169.254.7.7",
    "soon.lan",
  ];
  for (const host of [...hosts, "128.0.0.1", "[::ffff:192.168.1.7]", "localhost.example.org", "wall.lan"]) {
    assert.equal(await placeProblem(`https://${host}/`, network, false), null, host);
  }
});
