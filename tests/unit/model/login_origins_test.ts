import assert from "node:assert/strict";
import { loginOriginsProblem, mayReceivePassword } from "../../../lib/model/login_origins.ts";
import { affectedPrograms } from "../../../lib/model/programs.ts";
import { streamFields } from "../../../lib/model/schema.ts";

const GRAFANA = "https://grafana.example.org/d/x";

const YES: [origin: string, url: string, loginOrigins?: string][] = [
  ["https://grafana.example.org", GRAFANA],
  ["http://grafana.lan:3000", "http://grafana.lan:3000/"],
  ["https://grafana.lan", "http://grafana.lan/"],
  ["https://example.org", "https://EXAMPLE.org:443/"],
  ["https://sso.example.org", GRAFANA, "https://id.example.org https://sso.example.org"],
];

const NO: [origin: string, url: string, loginOrigins?: string][] = [
  ["https://evil.example", GRAFANA],
  ["https://example.org", GRAFANA],
  ["https://sso.grafana.example.org", GRAFANA],
  ["https://evilgrafana.example.org", GRAFANA],
  ["https://grafana.example.org.evil.example", GRAFANA],
  ["https://grafana.example.org:8443", GRAFANA],
  ["http://grafana.example.org", GRAFANA],
  ["https://grafana.lan:3000", "http://grafana.lan:3000/"],
  ["http://grafana.lan:8080", "http://grafana.lan:3000/"],
  ["http://110.0.0.7", "http://10.0.0.7/"],
  ["http://sso.example.org", GRAFANA, "https://sso.example.org"],
  ["https://x.sso.example.org", GRAFANA, "https://sso.example.org"],
  ["null", GRAFANA, "https://sso.example.org"],
  ["", GRAFANA],
];

Deno.test("a password goes to the page's own origin and to those that are listed, to nobody else", () => {
  for (const [origin, url, listed = ""] of YES) assert.ok(mayReceivePassword(origin, url, listed), origin);
  for (const [origin, url, listed = ""] of NO) assert.ok(!mayReceivePassword(origin, url, listed), origin);
});

const fields = (loginOrigins: unknown) => streamFields.parse({ name: "A", url: GRAFANA, loginOrigins });

Deno.test("the field takes a text or a list, and stores plain origins once", () => {
  const stored = "https://sso.example.org http://id.lan:8080";
  for (
    const given of [
      "https://sso.example.org http://id.lan:8080",
      " HTTPS://SSO.example.org:443/, http://id.lan:8080\n https://sso.example.org",
      ["https://sso.example.org/", "http://id.lan:8080"],
    ]
  ) {
    assert.equal(fields(given).loginOrigins, stored);
  }
  assert.deepEqual(affectedPrograms(fields(stored), fields([stored])), [], "an equal list restarts nothing");
});

const BAD = [
  "sso.example.org",
  "https://sso.example.org/login",
  "https://user@sso.example.org",
  "https://sso.example.org?x",
  "javascript:alert(1)",
  "file:///etc",
  "null",
  "*",
  "https://a b",
  `https://${"a".repeat(5000)}`,
  Array.from({ length: 11 }, (_, at) => `https://a${at}.example`).join(" "),
];

for (const text of BAD) {
  Deno.test(`the login origins ${text.slice(0, 40)} are refused`, () => {
    assert.notEqual(loginOriginsProblem(text), null);
    const { success } = streamFields.safeParse({ name: "A", url: GRAFANA, loginOrigins: text });
    assert.equal(success, false);
  });
}
