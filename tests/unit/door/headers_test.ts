import assert from "node:assert/strict";
import { attachment, contentPolicy, withSecurityHeaders } from "../../../lib/door/headers.ts";

Deno.test("every answer is hardened, and stays what it was", async () => {
  const response = withSecurityHeaders(new Response("body", { status: 404, headers: { "x-own": "1" } }));
  assert.deepEqual([response.status, await response.text(), response.headers.get("x-own")], [
    404,
    "body",
    "1",
  ]);
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.equal(response.headers.get("referrer-policy"), "same-origin");
  assert.equal(response.headers.get("x-frame-options"), "SAMEORIGIN");
});

Deno.test("what a page must not use is told of all but its scripts and style sheets", () => {
  for (
    const [type, isTold] of [
      ["text/html", true],
      ["", true],
      ["application/json", true],
      ["text/css", false],
      [
        "text/javascript; charset=UTF-8",
        false,
      ],
    ] as const
  ) {
    const { headers } = withSecurityHeaders(new Response("", { headers: { "content-type": type } }));
    assert.equal(headers.has("permissions-policy"), isTold, type);
    assert.ok(headers.has("x-frame-options") && headers.has("content-security-policy"), type);
  }
});

Deno.test("the policy allows no foreign scripts, plugins or framing", () => {
  const policy = withSecurityHeaders(new Response()).headers.get("content-security-policy")!;
  const rules = new Map(policy.split("; ").map((rule) => [rule.split(" ")[0], rule.split(" ").slice(1)]));
  assert.deepEqual(rules.get("default-src"), ["'self'"]);
  assert.deepEqual(rules.get("object-src"), ["'none'"]);
  assert.deepEqual(rules.get("base-uri"), ["'none'"]);
  assert.deepEqual(rules.get("frame-ancestors"), ["'self'"]);
  assert.deepEqual(rules.get("form-action"), ["'self'"]);
  const scripts = rules.get("script-src") ?? rules.get("default-src")!;
  for (const word of ["'unsafe-inline'", "'unsafe-eval'", "*", "data:", "https:"]) {
    assert.ok(!scripts.includes(word));
  }
});

Deno.test("answers without a body, and with headers that cannot be set, are fine", () => {
  for (const status of [204, 304]) {
    assert.equal(withSecurityHeaders(new Response(null, { status })).status, status);
  }
  const redirect = withSecurityHeaders(Response.redirect("http://localhost/", 302));
  assert.deepEqual([redirect.status, redirect.headers.get("x-content-type-options")], [302, "nosniff"]);
});

Deno.test("a page's own frame rule stands; an upgrade is left alone", () => {
  const denied = new Response(null, { headers: { "x-frame-options": "DENY" } });
  assert.equal(withSecurityHeaders(denied).headers.get("x-frame-options"), "DENY");
  const upgrade = { status: 101 } as Response;
  assert.equal(withSecurityHeaders(upgrade), upgrade);
});

Deno.test("a page's own content policy stands, and adds one origin for media alone", () => {
  const media = "http://wall.example.org:8888";
  const own = contentPolicy({ media });
  const headers = { "content-security-policy": own };
  assert.equal(
    withSecurityHeaders(new Response(null, { headers })).headers.get("content-security-policy"),
    own,
  );
  const others = (policy: string) => policy.split("; ").filter((rule) => !/^(connect|media)-src/.test(rule));
  assert.deepEqual(others(own), others(contentPolicy()));
  assert.equal(own.split(media).length, 3);
});

Deno.test("a download has a name that needs no quoting", () => {
  const headers = attachment("a-encoder.log", "text/plain");
  assert.equal(headers["content-disposition"], 'attachment; filename="a-encoder.log"');
  assert.equal(headers["cache-control"], "no-store");
  for (const name of ["", 'a"b', "a\r\nx: y", "../a", "a;b"]) {
    assert.throws(() => attachment(name, "text/plain"), /not a name for a download/);
  }
});
