import assert from "node:assert/strict";
import { isOriginAllowed } from "../../../lib/http/origin.ts";

const HOST = "127.0.0.1:3000";

function isAllowed(method: string, headers: Record<string, string>): boolean {
  return isOriginAllowed(
    new Request(`http://${HOST}/api/streams`, { method, headers: { host: HOST, ...headers } }),
  );
}

const ALLOWED: Record<string, string>[] = [
  {}, // curl, scripts
  { origin: `http://${HOST}` },
  { origin: `http://${HOST}`, "sec-fetch-site": "same-origin" },
  { "sec-fetch-site": "none" },
  { "sec-fetch-site": "same-origin" },
  { origin: `https://${HOST}`, "sec-fetch-site": "same-origin" }, // TLS ends at a reverse proxy
  { host: "tv.example.org", origin: "https://tv.example.org" },
  { host: "tv.example.org:8443", origin: "https://tv.example.org:8443" },
  { host: "[::1]:3000", origin: "http://[::1]:3000" },
];

const REFUSED: Record<string, string>[] = [
  { origin: "https://evil.example" },
  { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
  { origin: "null" },
  { origin: "null", "sec-fetch-site": "none" },
  { origin: "" },
  { origin: "file://" },
  { origin: "http://127.0.0.1:8888" }, // sibling ports: the media server, a page of another service
  { origin: "http://127.0.0.1" },
  { origin: "http://localhost:3000" }, // loopback by another name is another origin
  { origin: "http://[::1]:3000" },
  { origin: "http://127.0.0.1:3000.evil.example" },
  { origin: "http://evil.example/127.0.0.1:3000" },
  { origin: "http://sub.tv.example.org", host: "tv.example.org" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "cross-site", origin: `http://${HOST}` },
  { "sec-fetch-site": "same-site", origin: `http://${HOST}` },
  { "sec-fetch-site": "" },
  { "sec-fetch-site": "anything" },
];

for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
  Deno.test(`${method}: own pages and programs may, other sites may not`, () => {
    for (const headers of ALLOWED) assert.equal(isAllowed(method, headers), true, JSON.stringify(headers));
    for (const headers of REFUSED) assert.equal(isAllowed(method, headers), false, JSON.stringify(headers));
  });
}

Deno.test("reading is open to links from elsewhere", () => {
  for (const method of ["GET", "HEAD", "OPTIONS"]) {
    for (const headers of [...ALLOWED, ...REFUSED]) assert.equal(isAllowed(method, headers), true);
  }
});

Deno.test("unknown methods count as changes", () => {
  assert.equal(isAllowed("FROBNICATE", { origin: "https://evil.example" }), false);
});

Deno.test("behind a proxy that sends another Host, pages of the public address may", () => {
  const isAllowedFor = (origin: string, site: string) =>
    isOriginAllowed(
      new Request(`http://${HOST}/api/streams`, {
        method: "POST",
        headers: { host: HOST, origin, "sec-fetch-site": site },
      }),
      () => "tv.example.org:8443",
    );
  assert.equal(isAllowedFor("https://tv.example.org:8443", "same-origin"), true);
  assert.equal(isAllowedFor(`http://${HOST}`, "same-origin"), true);
  assert.equal(isAllowedFor("https://tv.example.org:8443", "cross-site"), false);
  for (
    const origin of ["https://tv.example.org", "https://evil.example", "null", "https://tv.example.org:8444"]
  ) {
    assert.equal(isAllowedFor(origin, "same-origin"), false, origin);
  }
});
