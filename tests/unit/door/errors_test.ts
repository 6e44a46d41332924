import assert from "node:assert/strict";
import { badInput, noSuchStream, ServiceError } from "../../../lib/errors.ts";
import { apiError, errorResponse } from "../../../lib/door/errors.ts";
import { logged } from "../../support/logged.ts";

const request = new Request("http://localhost/api/streams/x?token=s3cret", { method: "DELETE" });

/** The answer, and what was logged meanwhile. */
async function answer(error: unknown) {
  let response = new Response();
  const lines = await logged(() => response = apiError(error, request));
  return { status: response.status, headers: response.headers, body: await response.json(), lines };
}

Deno.test("bad input: 400 with the problem of each field", async () => {
  const fields = { fps: "Too many.", url: "Missing." };
  const { status, body, lines, headers } = await answer(badInput(fields));
  assert.deepEqual([status, body, lines], [
    400,
    { error: { message: "Please correct: fps, url.", fields } },
    [],
  ]);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.match(headers.get("content-type")!, /^application\/json/);
});

Deno.test("one bad field speaks for itself; a bad body names no field", async () => {
  assert.equal((await answer(badInput({ fps: "Too many." }))).body.error.message, "Too many.");
  assert.deepEqual((await answer(badInput({ "": "No JSON." }))).body.error, {
    message: "No JSON.",
    fields: {},
  });
});

Deno.test("no such stream: 404, with a long id cut", async () => {
  const { status, body } = await answer(noSuchStream("x".repeat(1000)));
  assert.equal(status, 404);
  assert.ok(body.error.message.length < 100);
});

Deno.test("other errors of ours keep their status", async () => {
  assert.deepEqual((await answer(new ServiceError(409, "Taken."))).body, { error: { message: "Taken." } });
});

Deno.test("what an error tells besides stands beside it, and cannot take its place", async () => {
  const error = new ServiceError(409, "Changed.", undefined, { extra: { current: { id: "a" }, error: 1 } });
  assert.deepEqual((await answer(error)).body, { current: { id: "a" }, error: { message: "Changed." } });
});

Deno.test("an unexpected error tells nothing of itself, but is logged without the query", async () => {
  for (const error of [new Error("ENOENT /root/secret"), "ENOENT /root/secret"]) {
    const { status, body, lines } = await answer(error);
    assert.equal(status, 500);
    assert.doesNotMatch(JSON.stringify(body), /ENOENT|secret/);
    assert.equal(lines.length, 1);
    const { level, method, path, error: logged } = JSON.parse(lines[0]);
    assert.deepEqual([level, method, path, logged], [
      "error",
      "DELETE",
      "/api/streams/x",
      "ENOENT /root/secret",
    ]);
  }
});

Deno.test("a plain error answer", async () => {
  assert.deepEqual(await errorResponse(403, "No.").json(), { error: { message: "No." } });
});
