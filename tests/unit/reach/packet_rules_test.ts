import assert from "node:assert/strict";
import { isInNetworks } from "../../../lib/machine/net/networks.ts";
import { NOWHERE, reachRules } from "../../../lib/reach/packet_rules.ts";

const PUBLISHES = "ip daddr 127.0.0.1 tcp dport 1935 accept";
const HERE = 'oifname "lo" reject';

const RESOLVERS = ["ip daddr @resolvers4", "ip6 daddr @resolvers6"]
  .map((place) => `${place} meta l4proto { tcp, udp } th dport 53 accept`);

Deno.test("a stream reaches its encoder's port and resolvers, but neither this machine nor its network", () => {
  const rules = reachRules(NOWHERE, 1935);
  assert.deepEqual(rules.slice(0, 4), [PUBLISHES, ...RESOLVERS, HERE]);
  assert.deepEqual(rules.filter((rule) => /dport 53\b/.test(rule)), RESOLVERS, "port 53 of others is open");
  assert.ok(rules.some((rule) => /^ip daddr \{.*169\.254\.169\.254.*\} reject$/.test(rule)));
  assert.ok(rules.some((rule) => /^ip6 daddr \{.*fd00:ec2::254.*\} reject$/.test(rule)));
  assert.ok(rules.some((rule) => /^ip daddr \{.*10\.0\.0\.0\/8.*192\.168\.0\.0\/16.*\} reject$/.test(rule)));
  assert.ok(rules.some((rule) => /^ip6 daddr \{.*fc00::\/7.*\} reject$/.test(rule)));
});

/** Whether an address comes to a rule that rejects it before one that accepts it. */
function isRejected(rules: readonly string[], address: string): boolean {
  const fitting = rules.find((rule) => {
    const places = /^ip6? daddr \{ (.*) \} (?:accept|reject)$/.exec(rule)?.[1].split(", ");
    return places !== undefined && isInNetworks(address, places);
  });
  return fitting?.endsWith("reject") ?? false;
}

/** What is in everybody's local network, in each family and by each gateway; and all of a network at once. */
const LOCAL = [
  ...["10.0.0.7", "172.31.9.9", "192.168.1.1", "100.64.0.1", "169.254.7.7", "fd00::9", "fe80::9", "fec0::9"],
  ...["64:ff9b::a00:7", "64:ff9b::c0a8:101", "2002:a00:7::1", "2002:c0a8:101:1::9", "::192.168.1.1"],
  ...["224.0.0.251", "239.255.255.250", "255.255.255.255", "ff02::fb", "ff05::c"],
];

/** Metadata services, also by gateways. */
const METADATA = [
  ...["169.254.169.254", "168.63.129.16", "fd00:ec2::254", "64:ff9b::a9fe:a9fe", "64:ff9b::a83f:8110"],
  ...["2002:a9fe:a9fe::", "2002:a9fe:a9fe::a9fe:a9fe", "::169.254.169.254"],
];

Deno.test("a page of the internet gets to nothing local in any family, and to no neighbour", () => {
  const neighbours = ["2001:db8:1:2:0:0:0:0/64", "203.0.113.64/26"];
  const ownAddresses = ["203.0.113.70", "2001:db8:1:2::5"];
  const rules = reachRules({ ...NOWHERE, ownAddresses, neighbours }, 1935);
  const closed = [...LOCAL, ...METADATA, "2001:db8:1:2::7", "203.0.113.65", "64:ff9b::cb00:7146"];
  assert.deepEqual(closed.filter((address) => !isRejected(rules, address)), []);
  const open = [
    "93.184.216.34",
    "2606:2800::1",
    "64:ff9b::5db8:d822",
    "2002:5db8:d822::1",
    "2001:db8:1:3::7",
  ];
  assert.deepEqual(open.filter((address) => isRejected(rules, address)), []);
  const ofLan = reachRules({ ...NOWHERE, ownAddresses, neighbours, isLan: true }, 1935);
  assert.deepEqual(closed.filter((address) => isRejected(ofLan, address)), [...METADATA, closed.at(-1)]);
});

Deno.test("a page of the local network reaches that, but no metadata service", () => {
  const rules = reachRules({ ...NOWHERE, isLan: true }, 1935);
  assert.ok(!rules.some((rule) => rule.includes("10.0.0.0/8")));
  assert.ok(rules.some((rule) => /169\.254\.169\.254.*reject$/.test(rule)));
});

Deno.test("networks that the operator names are open to all pages, but this machine and metadata stay closed", () => {
  const rules = reachRules(NOWHERE, 1935, ["10.1.2.3", "fd00:1::/64"]);
  const [first, second] = ["ip daddr { 10.1.2.3 } accept", "ip6 daddr { fd00:1::/64 } accept"].map((rule) =>
    rules.indexOf(rule)
  );
  const closed = rules.findLastIndex((rule) =>
    /metadata|169\.254\.169\.254.*\} reject|oifname/.test(rule) && !/10\.0/.test(rule)
  );
  assert.ok(closed >= 0 && closed < first && first < second);
  assert.ok(second < rules.findIndex((rule) => rule.includes("10.0.0.0/8")));
});

Deno.test("a page of this machine reaches its own port on it, and no other", () => {
  const local = [{ host: "localhost", port: 8123, addresses: ["127.0.0.1", "::1"] }];
  const rules = reachRules({ ...NOWHERE, local, isLan: true }, 1935);
  assert.deepEqual(rules.slice(1, 3), [
    "ip daddr { 127.0.0.1 } tcp dport 8123 accept",
    "ip6 daddr { ::1 } tcp dport 8123 accept",
  ]);
  assert.ok(rules.indexOf(HERE) > 2);
});

Deno.test("a wall's browser reaches the service, and nothing else at all", () => {
  const rules = reachRules({ ...NOWHERE, walls: { name: "127.0.0.1", port: 3000 } }, 1935);
  assert.deepEqual(rules.slice(0, 3), [PUBLISHES, "ip daddr { 127.0.0.1 } tcp dport 3000 accept", "reject"]);
});

Deno.test("a stream reaches its proxy, also one on this machine, by the port that it has", () => {
  const proxies = [{ host: "proxy", port: 3128, addresses: ["127.0.0.1", "10.0.0.9"] }];
  const rules = reachRules({ ...NOWHERE, proxies }, 1935);
  assert.equal(rules[1], "ip daddr { 127.0.0.1, 10.0.0.9 } tcp dport 3128 accept");
  assert.ok(rules.some((rule) => /^ip daddr \{.*10\.0\.0\.0\/8.*\} reject$/.test(rule)));
});

Deno.test("no page reaches the cluster's servers, not even one that is let reach their network or machine", () => {
  const local = [{ host: "10.1.2.3", addresses: ["10.1.2.3"], port: 4222 }];
  const servers = [{ addresses: ["10.1.2.3", "2001:db8::3"], port: 4222 }];
  const rules = reachRules({ ...NOWHERE, isLan: true, local }, 1935, ["10.0.0.0/8"], null, servers);
  const at = (rule: string) => rules.indexOf(rule);
  assert.ok(at("ip daddr { 10.1.2.3 } tcp dport 4222 reject") >= 0);
  assert.ok(
    at("ip daddr { 10.1.2.3 } tcp dport 4222 reject") < at("ip daddr { 10.1.2.3 } tcp dport 4222 accept"),
  );
  const ipv6 = rules.find((rule) =>
    rule.startsWith("ip6 daddr { 2001:db8::3") && rule.endsWith("4222 reject")
  );
  assert.match(ipv6 ?? "", /64:ff9b::a01:203\/128/);
});
