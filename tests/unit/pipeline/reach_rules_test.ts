import assert from "node:assert/strict";
import { NOWHERE, reachRules } from "../../../lib/pipeline/reach_rules.ts";

const PUBLISHES = "ip daddr 127.0.0.1 tcp dport 1935 accept";
const HERE = 'oifname "lo" reject';

Deno.test("a stream reaches its encoder's port and resolvers, but neither this machine nor its network", () => {
  const rules = reachRules(NOWHERE, 1935);
  assert.deepEqual(rules.slice(0, 3), [PUBLISHES, "meta l4proto { tcp, udp } th dport 53 accept", HERE]);
  assert.ok(rules.some((rule) => /^ip daddr \{.*169\.254\.169\.254.*\} reject$/.test(rule)));
  assert.ok(rules.some((rule) => /^ip6 daddr \{.*fd00:ec2::254.*\} reject$/.test(rule)));
  assert.ok(rules.some((rule) => /^ip daddr \{.*10\.0\.0\.0\/8.*192\.168\.0\.0\/16.*\} reject$/.test(rule)));
  assert.ok(rules.some((rule) => /^ip6 daddr \{.*fc00::\/7.*\} reject$/.test(rule)));
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
