import assert from "node:assert/strict";
import { isOfProxy } from "../../../components/client/api.ts";

const answer = (status: number, type: string | null, kind: ResponseType = "basic") => ({
  type: kind,
  status,
  headers: new Headers(type === null ? {} : { "content-type": type }),
});

Deno.test("a proxy's login page is no answer of the service, whatever its status", () => {
  for (const status of [200, 201, 401, 403, 407, 511]) {
    assert.equal(isOfProxy(answer(status, "text/html; charset=utf-8")), true, String(status));
    assert.equal(isOfProxy(answer(status, null)), true, String(status));
  }
  assert.equal(isOfProxy(answer(0, null, "opaqueredirect")), true, "it leads to another site");
});

Deno.test("the service's own answers, and those while it is away, are no proxy's", () => {
  for (const status of [200, 201, 400, 401, 403, 404, 409, 500, 503]) {
    assert.equal(isOfProxy(answer(status, "application/json")), false, String(status));
    assert.equal(isOfProxy(answer(status, "application/problem+json; charset=utf-8")), false, String(status));
  }
  for (const status of [204, 404, 429, 500, 502, 503, 504]) {
    assert.equal(isOfProxy(answer(status, "text/html")), false, String(status));
  }
});
