import assert from "node:assert/strict";
import { type Admitted, createGate } from "../../../lib/door/gate.ts";

const SETTINGS = {
  PUBLIC_URL: "https://tv.example.org:8443",
  ALLOWED_HOSTS: ["channels.example.net", "*.example.com"],
  TRUSTED_PROXIES: ["10.0.0.5"],
};

function refusalOf(admitted: Admitted | Response): Response | null {
  return admitted instanceof Response ? admitted : null;
}

function answer(
  host: string | null,
  { path = "/", peer = "127.0.0.1", headers = {}, settings = {} }: {
    path?: string;
    peer?: string;
    headers?: Record<string, string>;
    settings?: Partial<typeof SETTINGS>;
  } = {},
): Response | null {
  const gate = createGate({ ...SETTINGS, ...settings }, "Machine.example.edu", null);
  const request = new Request(`http://localhost${path}`, {
    headers: { ...headers, ...(host === null ? {} : { host }) },
  });
  return refusalOf(gate(request, { remoteAddr: { transport: "tcp", hostname: peer, port: 5 } }));
}

const ALLOWED = [
  "localhost",
  "localhost:3000",
  "LOCALHOST:3000",
  "127.0.0.1:3000",
  "0.0.0.0:3000",
  "192.168.1.20:3000",
  "203.0.113.7",
  "[::1]:3000",
  "[::ffff:7f00:1]:3000",
  "[fd00::20]",
  "tv",
  "tv:3000",
  "my_tv-2",
  "tv.local",
  "tv.local.",
  "tv.lan:3000",
  "tv.home.arpa",
  "host.docker.internal:3000",
  "machine.example.edu",
  "tv.example.org",
  "tv.example.org:3000", // past the proxy
  "channels.example.net",
  "Channels.Example.NET:8080",
  "a.example.com",
  "a.b.example.com",
];

const REFUSED = [
  "evil.example",
  "evil.example:3000",
  "x.localhost",
  "x.localhost:3000",
  "localhost.evil.example",
  "localhost.localdomain",
  "127.0.0.1.nip.io",
  "localtest.me",
  "127-0-0-1.evil.example",
  "local.evil.example",
  "tv.local.evil.example",
  "evillocal.example",
  "example.org",
  "a.tv.example.org",
  "eviltv.example.org",
  "example.com",
  "evilexample.com",
  "a.channels.example.net",
  "other.machine.example.edu",
  "home.arpa.evil.example",
];

Deno.test("names that no stranger can give out are answered", () => {
  for (const host of ALLOWED) assert.equal(answer(host), null, host);
});

Deno.test("all others are refused, with what to set", async () => {
  for (const host of REFUSED) {
    const refused = answer(host);
    assert.equal(refused?.status, 421, host);
    assert.equal(refused.headers.get("cache-control"), "no-store");
    const name = host.replace(/:\d+$/, "");
    const text = await refused.text();
    assert.ok(text.includes(`ALLOWED_HOSTS=${name}`) && text.includes(`PUBLIC_URL=https://${name}`), text);
  }
});

Deno.test("what is no host is 400, and not repeated", async () => {
  for (
    const host of [
      "127.1",
      "2130706433",
      "0x7f000001",
      "<b>x</b>",
      'a"b',
      "user@localhost",
      "localhost:0",
      "",
    ]
  ) {
    const refused = answer(host);
    assert.equal(refused?.status, 400, host);
    const text = await refused.text();
    assert.match(text, /Host header is not valid/);
    if (host) assert.ok(!text.includes(host), text);
  }
});

Deno.test("the health check answers to any name, not to what is none", () => {
  assert.equal(answer("evil.example", { path: "/healthz" }), null);
  assert.equal(answer("evil.example", { path: "/healthz?x" }), null);
  for (const path of ["/healthz/x", "/x?/healthz", "/x#/healthz", "/x/healthz"]) {
    assert.ok(answer("evil.example", { path }), path);
  }
  assert.equal(answer("a b", { path: "/healthz" })?.status, 400);
});

Deno.test("a request without Host is judged by its address", () => {
  assert.equal(answer(null), null);
});

Deno.test("ALLOWED_HOSTS=* answers to every name, not to what is none", () => {
  const settings = { ALLOWED_HOSTS: ["*"] };
  assert.equal(answer("evil.example", { settings }), null);
  assert.equal(answer("a b", { settings })?.status, 400);
});

Deno.test("without PUBLIC_URL its name is like any other", () => {
  assert.equal(answer("tv.example.org", { settings: { PUBLIC_URL: "" } })?.status, 421);
});

Deno.test("behind a trusted proxy both names must be ours", () => {
  const through = (host: string, forwarded: string, peer = "10.0.0.5") =>
    answer(host, { peer, headers: { "x-forwarded-host": forwarded } })?.status ?? null;
  assert.equal(through("127.0.0.1:3000", "tv.example.org"), null);
  assert.equal(through("app:3000", "evil.example"), 421);
  assert.equal(through("evil.example", "localhost"), 421);
  assert.equal(through("app:3000", "a b"), 400);
  assert.equal(
    through("app:3000", "evil.example", "10.0.0.6"),
    null,
    "a stranger's header counts for nothing",
  );
});

Deno.test("a name that was let in lets in no other one, nor another forwarded one", () => {
  const info = { remoteAddr: { transport: "tcp", hostname: "10.0.0.5", port: 5 } } as const;
  const requests: Record<string, string>[] = [
    { host: "tv.lan" },
    { host: "tv.lan" },
    { host: "evil.example" },
    { host: "evil.example" },
    { host: "tv.lan", "x-forwarded-host": "evil.example" },
  ];
  for (const TRUSTED_PROXIES of [[], ["10.0.0.5"]]) {
    const gate = createGate({ ...SETTINGS, TRUSTED_PROXIES }, "machine", null);
    const requested = requests.map((headers) =>
      refusalOf(gate(new Request("http://localhost/", { headers }), info))?.status ?? null
    );
    assert.deepEqual(requested, [null, null, 421, 421, TRUSTED_PROXIES.length > 0 ? 421 : null]);
  }
});
