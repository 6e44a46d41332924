/** The secret that opens a stream's display. */
import { strict as assert } from "node:assert";
import { appTest } from "../support/app.ts";

const REQUESTS: [Record<string, string>, number][] = [
  [{}, 200],
  [{ "sec-fetch-site": "same-origin" }, 200],
  [{ origin: "http://127.0.0.1:3000" }, 200],
  [{ "sec-fetch-site": "cross-site" }, 403],
  [{ "sec-fetch-site": "same-site" }, 403],
  [{ "sec-fetch-site": "none" }, 403],
  [{ origin: "http://evil.example" }, 403],
  [{ origin: "null" }, 403],
];
for (const [headers, status] of REQUESTS) {
  appTest(`the token asked for with ${JSON.stringify(headers)}: ${status}`, async (app) => {
    const { id } = await app.create({ desiredState: "stopped" });
    const answer = await app.fetch(`/api/streams/${id}/vnc`, { headers });
    const text = await answer.text();
    assert.equal(answer.status, status);
    assert.equal(/[0-9a-f]{32}/.test(text), status === 200);
    if (status === 200) assert.equal(answer.headers.get("cache-control"), "no-store");
  });
}

appTest("a stream that is not there has no token", async (app) => {
  assert.equal((await app.api("GET", "/api/streams/nobody/vnc")).status, 404);
});

appTest("the token stands in no other answer, and its file is ours alone", async (app) => {
  const { id } = await app.create({ desiredState: "stopped" });
  const { token } = (await app.api("GET", `/api/streams/${id}/vnc`)).json;
  assert.match(token, /^[0-9a-f]{32}$/);
  for (
    const path of [
      "/",
      "/api/streams",
      `/api/streams/${id}`,
      "/api/streams/export",
      `/streams/${id}/log`,
      `/vnc/${id}`,
    ]
  ) {
    const text = await (await app.fetch(path)).text();
    assert.ok(text.length > 100 && !text.includes(token), path);
  }
  assert.equal((await Deno.stat(app.paths.tokensFile)).mode! & 0o777, 0o600);
});
