import assert from "node:assert/strict";
import { directFinding } from "../../../lib/run/checks/proxy.ts";
import { parseConfig } from "../../../lib/config.ts";
import { parseProxy, proxyProblem, proxyText } from "../../../lib/reach/proxy_server.ts";
import { ownProxyAddress, proxiesOf, proxyFor, unknownPlaces, wayOutOf } from "../../../lib/reach/way_out.ts";

Deno.test("a proxy's address: with and without scheme, port and login", () => {
  for (
    const [text, shown, login] of [
      ["http://proxy.example.org:3128", "http://proxy.example.org:3128", ":"],
      ["proxy:8080", "http://proxy:8080", ":"],
      ["http://Proxy.Example.org", "http://proxy.example.org:80", ":"],
      ["https://proxy.example.org/", "https://proxy.example.org:443", ":"],
      ["socks5://10.0.0.1", "socks5://10.0.0.1:1080", ":"],
      ["socks5h://gate:9050", "socks5://gate:9050", ":"],
      ["http://[fd00::1]:3128", "http://[fd00::1]:3128", ":"],
      ["http://an%40na:p%3Aw@proxy:3128", "http://proxy:3128", "an@na:p:w"],
    ]
  ) {
    const proxy = parseProxy(text);
    assert.ok(proxy, text);
    assert.deepEqual([proxyText(proxy), `${proxy.user}:${proxy.pass}`], [shown, login], text);
  }
});

Deno.test("what is no proxy's address is refused", () => {
  for (
    const text of [
      ...[
        "",
        "ftp://proxy:21",
        "http://proxy:99999",
        "http://proxy:3128/path",
        "http://proxy/?q",
        "http://a b",
      ],
      ...[
        "socks5://me:secret@gate",
        "socks4://gate:1080",
        "http://",
        "proxy;PROXY evil:1",
        'a"b:1',
        "http://a\\b",
      ],
      ...["http://%zz@proxy:1", "PROXY a:1; DIRECT", "javascript:alert(1)", "http://a,b:1"],
    ]
  ) assert.equal(parseProxy(text), null, text);
});

Deno.test("a stream's proxy has no login of its own, and what is wrong is said with an example", () => {
  for (const right of ["", "direct", "http://proxy:3128", "proxy:3128"]) {
    assert.equal(proxyProblem(right), null);
  }
  assert.match(proxyProblem("ftp://x")!, /http:\/\/proxy\.example\.org:3128/);
  assert.match(proxyProblem("http://me:secret@proxy:1")!, /without a login.*PROXY_LOGIN_FILE/);
});

const ENV = {
  HTTP_PROXY: "http://plain:1",
  HTTPS_PROXY: "secure:2",
  NO_PROXY: "example.org, .lan *.corp:8443\n10.0.0.0/8,[fd00::1]:81,wiki:8080",
};

function way(field = "", env: Record<string, string> = ENV) {
  return wayOutOf(parseConfig({ ...env, DATA_DIR: "/d" }), field);
}

function asked(url: string, which = way()): string {
  const proxy = proxyFor(new URL(url), which);
  return proxy ? proxyText(proxy) : "direct";
}

Deno.test("each scheme has its proxy, NO_PROXY none", () => {
  for (
    const [url, expected] of [
      ["http://example.com/", "http://plain:1"],
      ["ws://example.com/", "http://plain:1"],
      ["https://example.com/", "http://secure:2"],
      ["wss://example.com/", "http://secure:2"],
      ["http://example.org/", "direct"],
      ["https://www.example.org/", "direct"],
      ["https://myexample.org/", "http://secure:2"],
      ["http://tv.lan/", "direct"],
      ["https://a.corp:8443/", "direct"],
      ["https://a.corp/", "http://secure:2"],
      ["http://10.1.2.3/", "direct"],
      ["http://11.1.2.3/", "http://plain:1"],
      ["http://[fd00::1]:81/", "direct"],
      ["http://[fd00::1]/", "http://plain:1"],
      ["http://wiki:8080/", "direct"],
      ["http://wiki/", "http://plain:1"],
    ]
  ) assert.equal(asked(url), expected, url);
  assert.equal(asked("http://example.com/", way("", { ...ENV, NO_PROXY: "*" })), "direct");
  assert.equal(asked("https://example.com/", way("", { HTTP_PROXY: "a:1" })), "direct");
});

Deno.test("a stream's own proxy is for both schemes; direct is none; empty is the service's", () => {
  assert.equal(way("direct"), null);
  assert.equal(way("", {}), null);
  assert.equal(asked("https://example.com/", way("http://own:9")), "http://own:9");
  assert.equal(asked("http://example.org/", way("http://own:9")), "direct");
  assert.deepEqual([way()!.isOfStream, way("http://own:9")!.isOfStream], [false, true]);
  assert.deepEqual(proxiesOf(way()).map(proxyText), ["http://plain:1", "http://secure:2"]);
  assert.deepEqual(proxiesOf(way("http://own:9")).map(proxyText), ["http://own:9"]);
  assert.deepEqual(proxiesOf(null), []);
  const places = ["http://own:9", " own:9 ", " direct ", ""].map(ownProxyAddress);
  assert.deepEqual(places, ["http://own:9", "http://own:9", null, null]);
});

Deno.test("the variables in small letters count, as for curl; what is wrong is said without its value", () => {
  assert.equal(asked("https://example.com/", way("", { https_proxy: "small:3" })), "http://small:3");
  assert.equal(
    asked("https://example.com/", way("", { https_proxy: "small:3", HTTPS_PROXY: "a:4" })),
    "http://a:4",
  );
  assert.throws(() => way("", { HTTPS_PROXY: "http://me:hush hush@proxy" }), (error) => {
    const { message } = error as Error;
    return /HTTPS_PROXY="…".*Example: HTTPS_PROXY=http:\/\/proxy/.test(message) && !message.includes("hush");
  });
});

Deno.test("NO_PROXY is understood as other programs write it", () => {
  for (
    const [entries, direct, byProxy] of [
      ["192.168.*", "192.168.3.4", "192.169.0.1"],
      ["192.168.*.*", "192.168.3.4", "192.16.0.1"],
      ["10.*:8080", "10.1.2.3:8080", "10.1.2.3"],
      ["10.", "10.200.3.4", "10.example.org"],
      ["127.0.0.*", "127.0.0.9", "127.0.1.9"],
      ["10.0.0.0/255.0.0.0", "10.99.1.1", "11.0.0.1"],
      ["172.16.0.0/255.240.0.0", "172.31.0.1", "172.32.0.1"],
      ["169.254/16", "169.254.7.7", "169.253.7.7"],
      ["[fd00::]/8", "[fd12::1]", "[2a00::1]"],
      ["<local>", "wiki", "wiki.example.org"],
      ["<local>", "wiki:8080", "[2a00::1]"],
      ["*", "[2a00::1]", null],
      ["*example.org", "myexample.org", "example.org.net"],
      ["*.example.org", "example.org", "myexample.org"],
      ["intranet*", "intranet-2.corp", "my.intranet"],
      ["www.example.*", "www.example.de", "example.de"],
      [".example.*", "a.example.de", "example.de"],
      ["web*.example.org", "web07.example.org", "db.web07.example.org"],
      ["bücher.example", "www.xn--bcher-kva.example", "bucher.example"],
      ["*.Bücher.example", "bücher.example", "bucher.example"],
      ["www.bücher.*", "www.bücher.example", "bücher.example"],
      ["http://wiki", "wiki:8080", "wiki.example.org"],
      ["https://wiki.example.org:8443/start?x", "wiki.example.org:8443", "wiki.example.org"],
      ["//wiki/", "wiki", "viki"],
      ["http://10.0.0.0/8", "10.1.1.1", "11.1.1.1"],
      ["wiki/", "wiki", "viki"],
      ["wiki:*", "wiki:81", "viki:81"],
      ['"localhost', "localhost", "local"],
      ["localhost'", "localhost", "local"],
      ["a.example;b.example|c.example", "b.example", "d.example"],
      ["Example.ORG.", "www.example.org", "example.com"],
    ] as const
  ) {
    const which = way("", { ...ENV, NO_PROXY: entries });
    assert.deepEqual(unknownPlaces({ NO_PROXY: which!.direct }), [], entries);
    assert.equal(asked(`http://${direct}/`, which), "direct", `${entries}: ${direct}`);
    if (byProxy) assert.equal(asked(`http://${byProxy}/`, which), "http://plain:1", `${entries}: ${byProxy}`);
  }
});

Deno.test("an entry of NO_PROXY that means nothing is left out, and the others count", () => {
  const wrong = [
    "b/c",
    "<-loopback>",
    "10.0.0.0/33",
    "10.0.0.0/255.0.255.0",
    "10.0.0.1-10.0.0.9",
    "a..b",
    ".",
    "*.",
  ];
  const config = parseConfig({ ...ENV, NO_PROXY: [...wrong, "me@wiki", "example.org"].join(",") });
  assert.deepEqual(unknownPlaces(config), [...wrong, "me@wiki"]);
  assert.equal(asked("https://www.example.org/", wayOutOf(config)), "direct");
  assert.equal(asked("https://example.com/", wayOutOf(config)), "http://secure:2");
  assert.match(
    directFinding(config)!.says,
    /^NO_PROXY: "b\/c", "<-loopback>".* is not understood and is ignored$/,
  );
  assert.equal(directFinding({ ...config, HTTP_PROXY: "", HTTPS_PROXY: "" }), null);
  assert.equal(directFinding({ ...config, NO_PROXY: ["example.org"] }), null);
});
