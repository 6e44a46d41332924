import { strict as assert } from "node:assert";
import { type ApiPath, apiPath } from "../../../components/client/apiPath.ts";

Deno.test("whatever stands in for a value stays one part of the path", () => {
  const id = "a/../b?c#d e";
  assert.equal(apiPath`/streams/${id}/thumb`, "/api/streams/a%2F..%2Fb%3Fc%23d%20e/thumb");
  assert.equal(apiPath`/streams/${"clock"}/log/${"wm"}?after=${7}`, "/api/streams/clock/log/wm?after=7");
});

Deno.test("a string that was put together elsewhere is no path", () => {
  // @ts-expect-error: only the template tag makes one
  const path: ApiPath = "/api/streams";
  assert.ok(path);
});
