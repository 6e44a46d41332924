/** Bodies that are refused, on every address that takes one. */
import { strict as assert } from "node:assert";
import { appTest } from "../support/app.ts";

const TAKERS = [
  ["POST", "/api/streams"],
  ["PUT", "/api/streams/clock"],
  ["PATCH", "/api/streams/clock"],
  ["PUT", "/api/streams/reorder"],
  ["POST", "/api/streams/import"],
  ["POST", "/api/streams/clock/autoreload"],
];

appTest("a form of another site cannot send JSON: 415", async (app) => {
  await app.create({ desiredState: "stopped" });
  for (const [method, path] of TAKERS) {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const answer = await app.fetch(path, { method, body: "{}", headers: { "content-type": type } });
      assert.equal(answer.status, 415, `${method} ${path} ${type}`);
      await answer.body?.cancel();
    }
  }
});

appTest("what is no JSON is a 400, what is too large a 413", async (app) => {
  await app.create({ desiredState: "stopped" });
  const headers = { "content-type": "application/json" };
  for (const [method, path] of TAKERS) {
    const broken = await app.fetch(path, { method, body: "{", headers });
    assert.equal(broken.status, 400, `${method} ${path}`);
    await broken.body?.cancel();
    const limit = path.endsWith("/import") ? 8 * 1024 * 1024 : 256 * 1024;
    const large = await app.fetch(path, { method, body: `"${"x".repeat(limit)}"`, headers });
    assert.equal(large.status, 413, `${method} ${path}`);
    await large.body?.cancel();
  }
  assert.equal((await app.api("GET", "/api/streams/clock")).json.revision, 0);
});

appTest(
  "what is given twice, in a body or an address, is a 400 that names it, and changes nothing",
  async (app) => {
    await app.create({ desiredState: "stopped" });
    const headers = { "content-type": "application/json" };
    const body = '{"name":"Mine","url":"https://a.example/","ur\\u006c":"https://b.example/"}';
    const rows = [
      ...TAKERS.map(([method, path]) => [method, path, body, '"url" twice in one object']),
      ["POST", "/api/streams?force=1&force=0", '{"name":"Mine","url":"https://a.example/"}', '"force" twice'],
      ["PATCH", "/api/streams/clock?x=1&x=1", '{"name":"Mine"}', '"x" twice'],
    ];
    const wrong: string[] = [];
    for (const [method, path, body, says] of rows) {
      const answer = await app.fetch(path, { method, body, headers });
      const text = await answer.json();
      if (answer.status !== 400 || !text.error.message.includes(says)) {
        wrong.push(`${method} ${path}: ${answer.status} ${JSON.stringify(text)}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual((await app.api("GET", "/api/streams")).json.map(({ name }: { name: string }) => name), [
      "Clock",
    ]);
  },
);

appTest("a method that an address does not have is a 404 that names it", async (app) => {
  await app.create({ desiredState: "stopped" });
  for (
    const [method, path] of [
      ["DELETE", "/api/streams"],
      ["POST", "/api/streams/clock"],
      ["PUT", "/api/streams/statuses"],
      ["POST", "/playlist.m3u"],
      ["DELETE", "/healthz"],
    ]
  ) {
    const { status, json } = await app.api(method, path);
    assert.deepEqual([status, json.error.message], [404, `There is no ${method} ${path}.`]);
  }
});

appTest("a refused request's body is read to its end, so that its connection goes on", async (app) => {
  for (const [method, path] of [...TAKERS, ["POST", "/login"], ["POST", "/nothing"], ["POST", "/"]]) {
    const parts = ["bo", "dy"];
    const body = new ReadableStream({
      pull(controller) {
        const part = parts.shift();
        if (part === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(part));
      },
    }, { highWaterMark: 0 });
    const answer = await app.fetch(path, { method, body, headers: { "content-type": "text/plain" } });
    await answer.body?.cancel();
    assert.ok(answer.status >= 400, `${method} ${path} ${answer.status}`);
    assert.deepEqual(parts, [], `${method} ${path}`);
  }
});
