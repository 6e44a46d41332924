import assert from "node:assert/strict";
import { foreignPageText, type RequestOrigin, requestOrigin } from "../../../lib/door/origin.ts";

const HOST = "127.0.0.1:3000";

function origin(headers: Record<string, string>, publicHost = HOST): RequestOrigin {
  return requestOrigin(
    new Request(`http://${HOST}/`, { headers: { host: HOST, ...headers } }),
    () => publicHost,
  );
}

const OWN: Record<string, string>[] = [
  { origin: `http://${HOST}` },
  { origin: `http://${HOST}`, "sec-fetch-site": "same-origin" },
  { origin: `https://${HOST}`, "sec-fetch-site": "same-origin" }, // TLS ends at a reverse proxy
  { host: "tv.example.org", origin: "https://tv.example.org" },
  { host: "tv.example.org:8443", origin: "https://tv.example.org:8443" },
  { host: "[::1]:3000", origin: "http://[::1]:3000" },
  // proxies that name a default port
  { host: "tv.example.org:443", origin: "https://tv.example.org" },
  { host: "tv.example.org:80", origin: "http://tv.example.org" },
  { host: "TV.Example.org", origin: "https://tv.example.org" },
  { host: "tv.example.org:80", origin: "https://tv.example.org" },
  { host: "[2001:db8::1]:443", origin: "https://[2001:db8::1]" },
  // or a client does
  { host: "tv.example.org", origin: "https://tv.example.org:443" },
  { host: "tv.example.org:443", origin: "https://tv.example.org:443" },
];

/** Programs, and addresses that somebody typed: they are nobody's page. */
const NEITHER: Record<string, string>[] = [{}, { "sec-fetch-site": "none" }, {
  "sec-fetch-site": "same-origin",
}];

const FOREIGN: Record<string, string>[] = [
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
  { origin: "https://tv.example.org:8443", host: "tv.example.org" },
  { origin: "https://tv.example.org", host: "tv.example.org:8443" },
  { origin: "https://evil.example", host: "tv.example.org:443" },
  { origin: "https://tv.example.org:80", host: "tv.example.org:443" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "" },
  { "sec-fetch-site": "anything" },
];

Deno.test("a page of ours has the origin of the host that it asks", () => {
  for (const headers of OWN) {
    assert.deepEqual(origin(headers), { isOwn: true, isForeign: false }, JSON.stringify(headers));
  }
});

Deno.test("programs and typed addresses are neither own pages nor foreign ones", () => {
  for (const headers of NEITHER) {
    assert.deepEqual(origin(headers), { isOwn: false, isForeign: false }, JSON.stringify(headers));
  }
});

Deno.test("everything else is foreign", () => {
  for (const headers of FOREIGN) {
    assert.deepEqual(origin(headers), { isOwn: false, isForeign: true }, JSON.stringify(headers));
  }
});

Deno.test("an own origin does not outweigh the browser's word that another site asks", () => {
  for (const site of ["cross-site", "same-site"]) {
    assert.equal(origin({ origin: `http://${HOST}`, "sec-fetch-site": site }).isForeign, true);
  }
});

Deno.test("behind a proxy that sends another Host, pages of the public address are own ones", () => {
  const from = (page: string) =>
    origin({ origin: page, "sec-fetch-site": "same-origin" }, "tv.example.org:8443");
  for (const page of ["https://tv.example.org:8443", `http://${HOST}`]) {
    assert.equal(from(page).isOwn, true, page);
  }
  for (
    const page of ["https://tv.example.org", "https://evil.example", "null", "https://tv.example.org:8444"]
  ) {
    assert.deepEqual(from(page), { isOwn: false, isForeign: true }, page);
  }
});

Deno.test("who is refused behind a proxy that hides the port is told of PUBLIC_URL", () => {
  const text = (from: string) =>
    foreignPageText(new Request(`http://${HOST}/`, { headers: { host: "tv.example.org", origin: from } }));
  assert.match(
    text("https://tv.example.org:8443"),
    /asked for tv\.example\.org\..* PUBLIC_URL=https:\/\/tv\.example\.org:8443$/,
  );
  for (const page of ["null", "", "file://"]) assert.doesNotMatch(text(page), /PUBLIC_URL/, page);
});
