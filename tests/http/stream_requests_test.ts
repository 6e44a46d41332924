/** What the API refuses, and that nothing comes of it. */
import { strict as assert } from "node:assert";
import { appTest, type TestApp } from "../support/app.ts";

const HOSTILE_IDS = [
  "__proto__",
  "..%2f..%2fetc",
  "%2e%2e",
  "a%00b",
  "--help",
  "constructor",
  "streams.json",
  "Never",
];

async function assertNoStreams(app: TestApp): Promise<void> {
  assert.deepEqual((await app.api("GET", "/api/streams")).json, []);
}

appTest("bad fields are named with their problem", async (app) => {
  const { status, json } = await app.api("POST", "/api/streams", {
    name: "",
    url: "file:///etc/passwd",
    fps: 90,
  });
  assert.equal(status, 400);
  assert.deepEqual(Object.keys(json.error.fields).sort(), ["fps", "name", "url"]);
  assert.match(json.error.fields.url, /http and https.*Example/);
  await assertNoStreams(app);
});

const BODY = JSON.stringify({ name: "Evil", url: "https://evil.example/" });
const JSON_TYPE = { "content-type": "application/json" };
const REFUSED: [string, Record<string, string>, string, number][] = [
  ["another site's page", { ...JSON_TYPE, origin: "http://127.0.0.1:3001" }, BODY, 403],
  ["a page without an origin", { ...JSON_TYPE, origin: "null" }, BODY, 403],
  ["a cross-site request", { ...JSON_TYPE, "sec-fetch-site": "cross-site" }, BODY, 403],
  ["a form", { "content-type": "text/plain" }, BODY, 415],
  ["broken JSON", JSON_TYPE, "{", 400],
  ["a body of 300 kB", JSON_TYPE, " ".repeat(300_000), 413],
];
for (const [what, headers, body, status] of REFUSED) {
  appTest(`${what} cannot create a stream: ${status}`, async (app) => {
    const answer = await app.fetch("/api/streams", { method: "POST", headers, body });
    assert.equal(answer.status, status);
    assert.ok((await answer.json()).error.message.length > 10);
    await assertNoStreams(app);
  });
}

for (const id of HOSTILE_IDS) {
  appTest(`the id ${id} finds nothing`, async (app) => {
    await app.create({ desiredState: "stopped" });
    const requests: [string, string, unknown?][] = [
      ["DELETE", ""],
      ["GET", "/thumb"],
      ["POST", "/thumb"],
      ["POST", "/recreate"],
      ["POST", "/autoreload", { autoReload: true }],
    ];
    for (const [method, path, body] of requests) {
      const { status, headers } = await app.api(method, `/api/streams/${id}${path}`, body);
      assert.ok([400, 404].includes(status), `${method} ${path}: ${status}`);
      assert.match(headers.get("content-type")!, /json/);
    }
    assert.equal((await app.api("GET", "/api/streams")).json.length, 1);
  });
}

appTest("autoreload takes its two fields alone", async (app) => {
  const { id, url } = await app.create({ desiredState: "stopped", autoReloadInterval: 5 });
  for (
    const body of [{}, { url: "https://example.org/" }, { autoReload: "maybe" }, { autoReloadInterval: 0 }]
  ) {
    const { status, json } = await app.api("POST", `/api/streams/${id}/autoreload`, body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.ok(Object.keys(json.error.fields).length > 0);
  }
  const { json } = await app.api("GET", `/api/streams/${id}`);
  assert.deepEqual([json.autoReloadInterval, json.url], [5, url]);
});

appTest("a stopped stream is recreated and gets auto-reload without a start", async (app) => {
  const { id } = await app.create({ desiredState: "stopped" });
  assert.equal((await app.api("POST", `/api/streams/${id}/recreate`)).json.state, "stopped");
  assert.equal(
    (await app.api("POST", `/api/streams/${id}/autoreload`, { autoReload: true })).json.autoReload,
    true,
  );
  assert.equal((await app.api("GET", "/api/streams/statuses")).json[id].state, "stopped");
});

appTest("Home of a stream that does not run is 409, of none 404", async (app) => {
  const { id } = await app.create({ desiredState: "stopped" });
  const { status, json } = await app.api("POST", `/api/streams/${id}/home`);
  assert.equal(status, 409);
  assert.match(json.error.message, /does not run/);
  assert.equal((await app.api("POST", "/api/streams/none/home")).status, 404);
});
