import assert from "node:assert/strict";
import { isOfProxy } from "../../../components/client/api.ts";
import { withSecurityHeaders } from "../../../lib/door/headers.ts";

const TYPES = ["text/html; charset=utf-8", "application/json", "text/plain", null];

const answer = (status: number, type: string | null) => ({
  type: "basic" as ResponseType,
  status,
  headers: new Headers(type === null ? {} : { "content-type": type }),
});

Deno.test("a proxy's login is no answer of the service, whatever its status and its format", () => {
  for (const status of [200, 201, 204, 401, 403, 407, 511]) {
    for (const type of TYPES) assert.equal(isOfProxy(answer(status, type)), true, `${status} ${type}`);
  }
  assert.equal(isOfProxy({ ...answer(0, null), type: "opaqueredirect" }), true, "it leads to another site");
});

Deno.test("the service's own answers, and those while it is away, are no proxy's", () => {
  for (const status of [200, 201, 204, 401, 403, 404, 409, 503]) {
    const own = withSecurityHeaders(new Response(null, { status }));
    assert.equal(isOfProxy(own), false, String(status));
  }
  for (const status of [400, 404, 429, 500, 502, 503, 504]) {
    for (const type of TYPES) assert.equal(isOfProxy(answer(status, type)), false, `${status} ${type}`);
  }
});
