import assert from "node:assert/strict";
import { isInNetworks } from "../../../lib/machine/net/networks.ts";
import { wayOutOf } from "../../../lib/reach/way_out.ts";
import { proxyScript } from "../../../lib/reach/proxy_script.ts";

const NAMES: Record<string, string> = {
  "intranet.example": "10.0.0.7",
  "two.example": "93.184.216.34;192.168.1.5",
  "rebound.example": "192.168.1.5",
  "looped.example": "127.0.0.1",
  "six.example": "::ffff:10.0.0.1",
  "cloud.example": "169.254.169.254",
  "public.example": "93.184.216.34",
  "neighbour.example": "2001:db8:1:2::7",
};

const CONFIG = {
  HTTP_PROXY: "plain:1",
  HTTPS_PROXY: "https://secure:2",
  NO_PROXY: ["near.example", "172.20.0.0/16", "172.21.*", "*-test.example", "<local>", "b/c"],
};

/** What Chromium would choose. */
function chosen(url: string, { isLan = false, field = "" } = {}): string {
  const own = {
    ownNames: ["wall"],
    ownAddresses: ["192.168.1.5", "fe80::5"],
    neighbours: ["2001:db8:1:2:0:0:0:0/64"],
  };
  const script = proxyScript(wayOutOf(CONFIG, field)!, { ...own, isLan });
  const isInNetEx = (address: string, network: string) => isInNetworks(address, [network]);
  const find = new Function("dnsResolveEx", "isInNetEx", `${script}; return FindProxyForURL;`);
  return find((name: string) => NAMES[name] ?? "", isInNetEx)(url, new URL(url).hostname);
}

Deno.test("what only the proxy knows goes by it, each scheme by its own", () => {
  assert.equal(chosen("http://far.example/"), "PROXY plain:1");
  assert.equal(chosen("ws://far.example:81/"), "PROXY plain:1");
  assert.equal(chosen("https://public.example/"), "HTTPS secure:2");
  assert.equal(chosen("wss://far.example/"), "HTTPS secure:2");
  assert.equal(chosen("https://far.example/", { field: "socks5://own:3" }), "SOCKS5 own:3");
  assert.equal(chosen("http://[2a00::1]/"), "PROXY plain:1");
});

Deno.test("NO_PROXY goes the direct way", () => {
  for (
    const url of [
      "http://near.example/",
      "https://a.near.example/",
      "http://172.20.1.1/",
      "http://172.21.9.9/",
      "http://a-test.example/",
      "http://wiki/",
    ]
  ) assert.equal(chosen(url, { isLan: true }), "DIRECT", url);
  for (
    const url of ["http://172.22.1.1/", "http://test.example/", "http://b.example/", "http://[2a00::1]/"]
  ) {
    assert.equal(chosen(url, { isLan: true }), "PROXY plain:1", url);
  }
});

Deno.test("what pages must not reach is never asked of a proxy, by any name or notation", () => {
  for (
    const url of [
      ...[
        "http://localhost/",
        "http://a.localhost:3000/",
        "http://localhost./",
        "http://wall:3000/",
        "http://wall./",
      ],
      ...[
        "http://127.0.0.1:3000/",
        "http://127.1/",
        "http://0x7f000001/",
        "http://0/",
        "http://[::1]/",
        "http://[::]/",
      ],
      ...["http://192.168.1.5:3000/", "http://[::ffff:192.168.1.5]/", "http://[64:ff9b::c0a8:105]/"],
      ...["http://[fe80::5]/", "https://rebound.example/", "https://looped.example/", "http://two.example/"],
      ...[
        "http://six.example/",
        "http://169.254.169.254/",
        "http://cloud.example/",
        "http://metadata.google.internal/",
      ],
      ...["http://metadata/", "http://[fd00:ec2::254]/"],
    ]
  ) {
    assert.equal(chosen(url), "DIRECT", url);
    assert.equal(chosen(url, { isLan: true }), "DIRECT", `${url} for a page of the local network`);
  }
});

Deno.test("the local network is asked of a proxy by its own pages alone", () => {
  for (
    const url of [
      ...["http://intranet.example/", "http://10.0.0.7/", "http://192.168.1.1/", "http://[fd00::9]/"],
      ...["http://neighbour.example/", "http://[2001:db8:1:2::7]/", "http://239.255.255.250/"],
    ]
  ) {
    assert.equal(chosen(url), "DIRECT", url);
    assert.equal(chosen(url, { isLan: true }), "PROXY plain:1", url);
  }
});
