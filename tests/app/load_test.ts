/** What a client may send has bounds: by bytes, by values, by streams. That none keeps others waiting: tests/soak/load_test.ts. */
import { strict as assert } from "node:assert";
import { appTest, type TestApp } from "../support/app.ts";
import { HUGE_TEXTS, IMPORTS, many, url } from "../support/loads.ts";

/** The status of the answer, which is read to its end. */
async function send(app: TestApp, method: string, path: string, body?: string): Promise<number> {
  const answer = await app.fetch(path, { method, body, headers: { "content-type": "application/json" } });
  for await (const _ of answer.body ?? []);
  return answer.status;
}

appTest(
  "an import that is too large or too deep is a 413, a wrong one a 400, a large one is taken",
  async (app) => {
    const wrong: string[] = [];
    for (const [what, wanted, text] of IMPORTS) {
      const status = await send(app, "POST", "/api/streams/import?preview", text());
      if (status !== wanted) wrong.push(`${what}: ${status}, not ${wanted}`);
    }
    assert.deepEqual(wrong, []);
  },
);

appTest("a text of 200 KB in any field is a 400", async (app) => {
  const wrong: string[] = [];
  for (const [field, texts] of Object.entries(HUGE_TEXTS)) {
    for (const text of texts) {
      const body = JSON.stringify({ name: "Clock", url, [field]: text });
      const status = await send(app, "POST", "/api/streams", body);
      if (status !== 400) wrong.push(`${field} ${text.slice(0, 10)}: ${status}`);
    }
  }
  assert.deepEqual(wrong, []);
});

appTest("a list as long as it may be is imported, put in order, and shown at every address", async (app) => {
  // as long as they may be, of characters that are written as six
  const [name, group] = ['<"'.repeat(58), '<"'.repeat(28)];
  const stopped = { url, desiredState: "stopped", note: "x".repeat(2500) };
  const list = many(
    1000,
    (at) => ({ name: `${name}${at}`, group: `${group}${at}`, id: `s${at}`, ...stopped }),
  );
  const ids = many(1000, (at) => `s${at}`);
  const rows: [number, string, string, string?][] = [
    [200, "POST", "/api/streams/import", JSON.stringify(list)],
    [200, "POST", "/api/streams/import", JSON.stringify(list)],
    [400, "PUT", "/api/streams/reorder", `{"ids":[${"1,".repeat(4900)}1]}`],
    [409, "PUT", "/api/streams/reorder", JSON.stringify({ ids: many(4900, (at) => `s${at % 1000}`) })],
    [200, "PUT", "/api/streams/reorder", JSON.stringify({ ids: ids.toReversed() })],
    ...["/", "/api/streams", "/api/streams/export", "/api/streams/heartbeats", "/api/streams/statuses"]
      .map((path): [number, string, string] => [200, "GET", path]),
    ...["/playlist.m3u", "/epg.xml", "/metrics", "/api/system"]
      .map((path): [number, string, string] => [200, "GET", path]),
  ];
  const wrong: string[] = [];
  for (const [wanted, method, path, body] of rows) {
    const status = await send(app, method, path, body);
    if (status !== wanted) wrong.push(`${method} ${path}: ${status}, not ${wanted}`);
  }
  assert.deepEqual(wrong, []);
  // no more of it is made than its client takes
  const guide = await app.fetch("/epg.xml");
  assert.ok(Number(guide.headers.get("content-length")) > 40_000_000);
  const reader = guide.body!.getReader();
  const { value } = await reader.read();
  assert.ok(value!.length < 100_000, `${value!.length} bytes at once`);
  await reader.cancel();
});

appTest("access tokens have a limit, after which those that there are go on", async (app) => {
  const ids = many(1000, (at) => `s${at}-${"x".repeat(50)}`);
  const streams = ids.map((id) => ({ id, name: "S", url, desiredState: "stopped" }));
  assert.equal((await app.api("POST", "/api/streams/import", streams)).status, 200);
  const large = { name: "Hotel", streams: ids };
  const { token } = (await app.api("POST", "/api/access-tokens", large)).json;
  let status = 201;
  for (let made = 1; status === 201 && made < 1000; made++) {
    ({ status } = await app.api("POST", "/api/access-tokens", large));
  }
  assert.equal(status, 409);
  assert.equal(await send(app, "GET", "/api/access-tokens"), 200);
  assert.equal(await send(app, "GET", `/t/${token}/playlist.m3u`), 200);
  await app.idle();
});

appTest("a stream is made of 250 values at most, and the list of 4 MiB", async (app) => {
  const large = { extra: many(300, (at) => at) };
  const refused = await app.api("POST", "/api/streams", { name: "Clock", url, ...large });
  assert.deepEqual([refused.status, refused.json.error.message], [
    400,
    "The body is made of more than 250 values.",
  ]);
  const list = (from: number) =>
    many(20, (at) => ({ name: `S${from + at}`, url, desiredState: "stopped", note: "x".repeat(120_000) }));
  assert.equal((await app.api("POST", "/api/streams/import", list(0))).status, 200);
  const { status, json } = await app.api("POST", "/api/streams/import", list(20));
  assert.deepEqual([status, json.error.message], [400, "All streams together would need more than 4 MiB."]);
  assert.equal((await app.api("GET", "/api/streams")).json.length, 20);
  assert.equal((await app.api("PATCH", "/api/streams/s1", { note: "" })).status, 200, "less is always taken");
});
