import assert from "node:assert/strict";
import { ServiceError } from "../../../../lib/errors.ts";
import { publicUrl } from "../../../../lib/machine/net/public_url.ts";

const PROXY = "10.0.0.5";

interface Case {
  headers: Record<string, string>;
  /** The other end of the connection. */
  peer?: string;
  publicUrl?: string;
}

function origin({ headers, peer = PROXY, publicUrl: set = "" }: Case): string {
  const request = new Request("http://localhost/playlist.m3u", { headers: { host: "tv:3000", ...headers } });
  const info = { remoteAddr: { transport: "tcp" as const, hostname: peer, port: 5 } };
  const url = publicUrl(request, info, { PUBLIC_URL: set, TRUSTED_PROXIES: ["10.0.0.0/8", "::1"] });
  assert.equal(url.href, `${url.origin}/`);
  return url.origin;
}

const proxied = {
  "x-forwarded-proto": "https",
  "x-forwarded-host": "tv.example.org",
  "x-forwarded-port": "443",
};

const CASES: [what: string, given: Case, expected: string][] = [
  ["the Host as it is", { headers: {} }, "http://tv:3000"],
  ["an address", { headers: { host: "192.168.1.5:3000" } }, "http://192.168.1.5:3000"],
  ["an IPv6 address", { headers: { host: "[fd00::5]:3000" } }, "http://[fd00::5]:3000"],
  ["port 80 is not written", { headers: { host: "tv:80" } }, "http://tv"],
  [
    "PUBLIC_URL before all else",
    { headers: proxied, publicUrl: "https://a.example:8443" },
    "https://a.example:8443",
  ],
  [
    "PUBLIC_URL even with a broken Host",
    { headers: { host: "a b" }, publicUrl: "https://a.example" },
    "https://a.example",
  ],
  ["a stranger's headers are ignored", { headers: proxied, peer: "10.0.0.5.evil" }, "http://tv:3000"],
  ["loopback is no proxy unless told", { headers: proxied, peer: "127.0.0.1" }, "http://tv:3000"],
  ["so are broken ones", { headers: { "x-forwarded-host": "a b" }, peer: "8.8.8.8" }, "http://tv:3000"],
  ["a proxy's scheme, host and port", { headers: proxied }, "https://tv.example.org"],
  ["a proxy over IPv6", { headers: proxied, peer: "::1" }, "https://tv.example.org"],
  ["a proxy over IPv4 in IPv6", { headers: proxied, peer: "::ffff:10.0.0.5" }, "https://tv.example.org"],
  ["the scheme alone, the Host passed on (Caddy)", {
    headers: { host: "tv.example.org", "x-forwarded-proto": "https" },
  }, "https://tv.example.org"],
  ["the host with its port (Traefik)", {
    headers: {
      "x-forwarded-proto": "https",
      "x-forwarded-host": "tv.example.org:8443",
      "x-forwarded-port": "8443",
    },
  }, "https://tv.example.org:8443"],
  ["the port apart from the host (nginx)", {
    headers: { host: "tv.example.org", "x-forwarded-proto": "https", "x-forwarded-port": "8443" },
  }, "https://tv.example.org:8443"],
  ["the host's own port counts: the proxy may sit behind a port mapping", {
    headers: { host: "tv.example.org:8443", "x-forwarded-proto": "https", "x-forwarded-port": "443" },
  }, "https://tv.example.org:8443"],
  ["TLS ended before that proxy", {
    headers: { host: "tv.example.org", "x-forwarded-proto": "https", "x-forwarded-port": "80" },
  }, "https://tv.example.org"],
  ["a port without a scheme", {
    headers: { "x-forwarded-host": "tv.example.org", "x-forwarded-port": "8080" },
  }, "http://tv.example.org:8080"],
  ["a chain: the client's values stand first", {
    headers: {
      "x-forwarded-proto": "https, http",
      "x-forwarded-host": "tv.example.org, inner:3000",
      "x-forwarded-port": "8443, 80",
    },
  }, "https://tv.example.org:8443"],
  ["empty headers are none", {
    headers: { "x-forwarded-proto": "", "x-forwarded-host": " ", "x-forwarded-port": "" },
  }, "http://tv:3000"],
  [
    "capitals",
    { headers: { "x-forwarded-proto": "HTTPS", "x-forwarded-host": "TV.Example.ORG" } },
    "https://tv.example.org",
  ],
  ["a WebSocket's scheme (Traefik)", {
    headers: {
      "x-forwarded-proto": "wss",
      "x-forwarded-host": "tv.example.org",
      "x-forwarded-port": "443",
    },
  }, "https://tv.example.org"],
  ["a WebSocket's scheme without TLS (Traefik)", {
    headers: { "x-forwarded-proto": "ws", "x-forwarded-host": "tv.example.org", "x-forwarded-port": "80" },
  }, "http://tv.example.org"],
  ["a WebSocket's scheme, and a port that is another scheme's", {
    headers: { host: "tv.example.org", "x-forwarded-proto": "wss", "x-forwarded-port": "80" },
  }, "https://tv.example.org"],
  ["a WebSocket by a chain", {
    headers: { host: "tv.example.org", "x-forwarded-proto": "wss,http", "x-forwarded-port": "8443,3000" },
  }, "https://tv.example.org:8443"],
  ["a WebSocket by a chain of blanks and capitals", {
    headers: { host: "tv.example.org", "x-forwarded-proto": " WSS , ws" },
  }, "https://tv.example.org"],
  ["TLS ended before a proxy that sends Host $host:$server_port (nginx)", {
    headers: { host: "tv.example.org:80", "x-forwarded-proto": "https" },
  }, "https://tv.example.org"],
  ["the same in the forwarded host", {
    headers: { "x-forwarded-proto": "https", "x-forwarded-host": "tv.example.org:80" },
  }, "https://tv.example.org"],
  ["an IPv6 host with its port (Apache)", {
    headers: { "x-forwarded-proto": "https", "x-forwarded-host": "[fd00::5]:8443, [fd00::5]:8443" },
  }, "https://[fd00::5]:8443"],
  ["headers that say the same another way do not count (nginx-proxy-manager, Apache)", {
    headers: {
      host: "tv.example.org",
      "x-forwarded-proto": "https",
      "x-forwarded-scheme": "http",
      "x-forwarded-ssl": "off",
      "x-forwarded-server": "proxy.lan",
      "forwarded": "proto=http;host=proxy.lan",
    },
  }, "https://tv.example.org"],
  ["an IPv6 host behind a proxy", {
    headers: { "x-forwarded-host": "[fd00::5]", "x-forwarded-port": "8080" },
  }, "http://[fd00::5]:8080"],
];

for (const [what, given, expected] of CASES) {
  Deno.test(`public address: ${what}`, () => assert.equal(origin(given), expected));
}

const BAD: [header: string, value: string][] = [
  ["host", 'a"b'],
  ["host", "a b"],
  ["host", "evil.example/x?"],
  ["host", "user@evil.example"],
  ["host", "127.1"],
  ["x-forwarded-host", "a b"],
  ["x-forwarded-host", 'tv.example.org"><script>'],
  ["x-forwarded-host", "https://tv.example.org"],
  ["x-forwarded-proto", "ftp"],
  ["x-forwarded-proto", "javascript"],
  ["x-forwarded-proto", "wsx"],
  ["x-forwarded-proto", "wss:"],
  ["x-forwarded-port", "0"],
  ["x-forwarded-port", "70000"],
  ["x-forwarded-port", "443/x"],
];

for (const [header, value] of BAD) {
  Deno.test(`${header}: ${value} is refused, naming the header`, () => {
    assert.throws(() => origin({ headers: { [header]: value } }), (error) => {
      assert.ok(error instanceof ServiceError && error.status === 400);
      assert.match(
        error.message.toLowerCase(),
        new RegExp(`${header} header is not valid\\. example: ${header}: `),
      );
      assert.ok(!error.message.includes(value));
      return true;
    });
  });
}
