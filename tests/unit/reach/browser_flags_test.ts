import assert from "node:assert/strict";
import type { Network } from "../../../lib/reach/reach.ts";
import { wallAddress } from "../../../lib/reach/wall_address.ts";
import { wayOutOf } from "../../../lib/reach/way_out.ts";
import { findReach, reachFlags } from "../../../lib/reach/browser_flags.ts";

const NAMES: Record<string, string[]> = {
  "wall": ["192.168.1.5"],
  "grafana.lan": ["192.168.1.7"],
  "example.org": ["93.184.216.34"],
  "a,b": ["127.0.0.1"],
  "neighbour.example": ["2001:db8:1:2::7"],
};

const network: Network = {
  hostname: "wall",
  ownAddresses: () => ["127.0.0.1", "192.168.1.5", "::1", "fe80::5%eth0"],
  ownNetworks: () => ["127.0.0.1/8", "192.168.1.5/24", "::1/128", "fe80::5/64", "2001:db8:1:2::5/64"],
  resolve: (name) => Promise.resolve(NAMES[name] ?? []),
};

async function flagsFor(urls: string[], isLocalAllowed = false): Promise<Record<string, string[]>> {
  const service = { name: "127.0.0.1", port: 3000 };
  const flags = reachFlags(await findReach(urls, network, isLocalAllowed, service));
  return Object.fromEntries(flags.map((flag) => {
    const [, name, value = ""] = /^--([^=]+)=?(.*)$/.exec(flag)!;
    return [name, value.split(/, ?/)];
  }));
}

Deno.test("names and addresses of this machine and of metadata services resolve to nothing", async () => {
  const rules = (await flagsFor(["https://example.org/"]))["host-resolver-rules"];
  for (
    const host of [
      ...["127.*.*.*", "0.*.*.*", "::*", "localhost", "*.localhost", "wall", "192.168.1.5"],
      ...["localhost.", "*.localhost.", "wall.", "metadata.google.internal."],
      ...["169.254.169.254", "metadata.google.internal", "fd20:ce::254"],
    ]
  ) {
    assert.ok(rules.includes(`MAP ${host} ~NOTFOUND`), host);
  }
});

Deno.test("a public page is kept from the local network, a page of that is not", async () => {
  const isLanPublic = async (url: string) =>
    (await flagsFor([url]))["ip-address-space-overrides"].includes("192.168.0.0/16=public");
  assert.equal(await isLanPublic("https://example.org/"), false);
  for (
    const url of [
      ...["http://grafana.lan/", "http://10.0.0.7/", "http://not-known-yet.lan/"],
      ...["http://neighbour.example/", "http://[2001:db8:1:2::7]/", "http://[64:ff9b::a00:7]/"],
    ]
  ) {
    assert.equal(await isLanPublic(url), true, url);
  }
});

Deno.test("a public page is told that neighbours, and what leads to the local network, are local", async () => {
  const spaces = (await flagsFor(["https://example.org/"]))["ip-address-space-overrides"];
  for (
    const network of ["2001:db8:1:2:0:0:0:0/64", "64:ff9b::a00:0/104", "2002:c0a8:0::/32", "224.0.0.0/4"]
  ) {
    assert.ok(spaces.includes(`${network}=local`), network);
  }
});

Deno.test("the machine is on the networks of its public addresses, of IPv6 by 64 bits at most", async () => {
  const neighbours = async (...own: string[]) =>
    (await findReach(["https://example.org/"], { ...network, ownNetworks: () => own }, false)).neighbours;
  assert.deepEqual(await neighbours("127.0.0.1/8", "::1/128", "10.0.0.5/8", "fe80::5/64", "fd00::5/64"), []);
  assert.deepEqual(await neighbours("203.0.113.77/26", "203.0.113.78/26"), ["203.0.113.64/26"]);
  assert.deepEqual(await neighbours("2001:db8:1:2::5/128", "2001:db8:1:2:9::/64"), [
    "2001:db8:1:2:0:0:0:0/64",
  ]);
  assert.deepEqual(await neighbours("2001:db8:1ff::1.2.3.4/44"), ["2001:db8:1f0:0:0:0:0:0/44"]);
  assert.deepEqual(await neighbours("203.0.113.7/0", "tun0", "fe80::5%eth0/64"), []);
});

Deno.test("what is this machine's own counts as loopback, whatever name leads there", async () => {
  const spaces = (await flagsFor(["http://grafana.lan/"]))["ip-address-space-overrides"];
  for (
    const entry of [
      ...["192.168.1.5/32=loopback", "169.254.169.254/32=loopback"],
      ...["64:ff9b::c0a8:105/128=loopback", "2002:a9fe:a9fe::/48=loopback"],
    ]
  ) {
    assert.ok(
      spaces.indexOf(entry) >= 0 && spaces.indexOf(entry) < spaces.indexOf("192.168.0.0/16=public"),
      entry,
    );
  }
});

Deno.test("a page of this machine gets its own origin there, when that is allowed, and nothing else", async () => {
  const urls = ["http://localhost:8000/x", "https://[::1]/", "http://wall:81/"];
  const { "host-resolver-rules": rules, "ip-address-space-overrides": spaces } = await flagsFor(urls, true);
  assert.deepEqual(rules.slice(0, 4), [
    "MAP localhost:8000 localhost:8000",
    "MAP [::1]:443 [::1]:443",
    "MAP wall:81 wall:81",
    "MAP 127.*.*.* ~NOTFOUND",
  ]);
  assert.deepEqual(spaces.slice(0, 4), [
    "127.0.0.1:8000=public",
    "[::1]:8000=public",
    "[::1]:443=public",
    "192.168.1.5:81=public",
  ]);
  const refused = await flagsFor(urls);
  assert.ok(!refused["host-resolver-rules"].some((rule) => rule.endsWith(":8000")));
  assert.ok(!refused["ip-address-space-overrides"].some((entry) => entry.includes(":8000=")));
});

Deno.test("the browser of a wall's channel reaches the service by one name, and nothing else by any", async () => {
  const urls = [wallAddress("lobby"), "http://localhost:8000/", "http://grafana.lan/"];
  const { "host-resolver-rules": rules, "ip-address-space-overrides": spaces } = await flagsFor(urls, true);
  assert.deepEqual(rules, ["MAP wall.browser-stream.alt:80 127.0.0.1:3000", "MAP * ~NOTFOUND"]);
  assert.equal(spaces[0], "127.0.0.1:3000=public");
  assert.ok(!spaces.slice(1).some((entry) => entry.endsWith("=public")), String(spaces));
});

Deno.test("no other stream's browser is told where the walls are, whatever its login origins say", async () => {
  for (const urls of [["http://grafana.lan/", wallAddress("lobby")], ["http://wall.browser-stream.alt/"]]) {
    const flags = JSON.stringify(await flagsFor(urls, true));
    assert.ok(!flags.includes("MAP wall.browser-stream.alt") && !flags.includes(":3000"), flags);
  }
});

Deno.test("a host that could be read as another rule gets none", async () => {
  const rules = (await flagsFor(["http://a,b:8000/"], true))["host-resolver-rules"];
  assert.ok(!rules.some((rule) => rule.includes("8000")));
});

const PROXY = { HTTP_PROXY: "", HTTPS_PROXY: "", NO_PROXY: ["near.example"] };

async function byProxy(url: string, { machine = "", field = "", isLocalAllowed = false } = {}) {
  const config = { ...PROXY, HTTP_PROXY: machine, HTTPS_PROXY: machine };
  const reach = await findReach([url], network, isLocalAllowed, null, wayOutOf(config, field));
  return { reach, flags: reachFlags(reach) };
}

Deno.test("a name that a proxy alone knows makes no page one of the local network", async () => {
  const isLan = async (url: string) => (await byProxy(url, { machine: "grafana.lan:3128" })).reach.isLan;
  assert.equal(await isLan("http://intranet.example/"), false);
  assert.equal(await isLan("http://grafana.lan/"), true);
  assert.equal(await isLan("http://a.near.example/"), true, "one that is asked directly may be");
});

Deno.test("a proxy of the machine's own counts where the operator names it for all, or allows such pages", async () => {
  const url = "http://far.example/";
  const isUsed = async (options: Parameters<typeof byProxy>[1]) => {
    const { reach, flags } = await byProxy(url, options);
    const isTold = flags.some((flag) => flag.startsWith("--proxy-pac-url=data:"));
    const isOpen = flags[0].includes("MAP 127.0.0.1:3128 127.0.0.1:3128");
    assert.deepEqual([isTold, isOpen], [reach.way !== null, reach.proxies.length > 0]);
    return isTold;
  };
  assert.equal(await isUsed({ machine: "127.0.0.1:3128" }), true);
  assert.equal(await isUsed({ field: "127.0.0.1:3128" }), false);
  assert.equal(await isUsed({ field: "127.0.0.1:3128", isLocalAllowed: true }), true);
  assert.equal(await isUsed({ field: "http://wall:3128" }), false);
  assert.equal(await isUsed({ field: "169.254.169.254:80" }), false);
  assert.equal(await isUsed({}), false);
});

Deno.test("a wall's browser has no proxy", async () => {
  const { flags } = await byProxy(wallAddress("lobby"), { machine: "grafana.lan:3128" });
  assert.ok(!flags.some((flag) => flag.startsWith("--proxy")));
});
