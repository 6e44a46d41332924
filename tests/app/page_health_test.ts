/** How the pages are, as the API tells it. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { appTest } from "../support/app.ts";

const ID = streamId("clock");
const FINGERPRINT = "a1".repeat(32);

appTest("a stream says how its page is, and is degraded while that is bad", async (app) => {
  await app.create();
  const { health } = app.service.fleet.get(ID).page!;
  const status = async () => (await app.api("GET", "/api/streams/statuses")).json.clock;
  health.find({ state: "ok", status: 200, error: null, nextTryAt: null });
  const good = await status();
  assert.deepEqual([good.state, good.page.state, good.page.status], ["running", "ok", 200]);
  health.find({ state: "dns", status: null, error: "ERR_NAME_NOT_RESOLVED", nextTryAt: null });
  const { state, reason, trouble, page } = await status();
  assert.deepEqual([state, trouble], ["degraded", "dns"]);
  assert.equal(reason, "The page's host name is not found.");
  const { since, ...rest } = page;
  assert.deepEqual(rest, { state: "dns", status: null, error: "ERR_NAME_NOT_RESOLVED", nextTryAt: null });
  assert.ok(Math.abs(since - app.machine.now()) < 60_000);
});

appTest("a stream that does not run has no page", async (app) => {
  await app.create();
  app.service.fleet.get(ID).page!.health.find({ state: "dns", status: null, error: null, nextTryAt: null });
  await app.api("POST", "/api/streams/clock/stop");
  const { json } = await app.api("GET", "/api/streams/statuses");
  assert.equal(json.clock.state, "stopped");
  assert.equal("page" in json.clock || "trouble" in json.clock, false);
});

appTest("while its page is bad, nobody gets a thumbnail of that", async (app) => {
  await app.create();
  await app.service.fleet.get(ID).thumbnail.capture();
  app.service.fleet.get(ID).page!.health.find({
    state: "server-error",
    status: 502,
    error: null,
    nextTryAt: null,
  });
  const { status, json } = await app.api("POST", "/api/streams/clock/thumb");
  assert.equal(status, 409);
  assert.match(json.error.message, /last good thumbnail is kept/);
});

appTest(
  "accepted certificates are stored, exported and imported as they are; a wrong one is refused",
  async (app) => {
    await app.create({ acceptedCertificates: FINGERPRINT, colour: "of another tool" });
    const { json: stored } = await app.api("GET", "/api/streams/clock");
    assert.equal(stored.acceptedCertificates, FINGERPRINT);
    const { json: list } = await app.api("GET", "/api/streams/export");
    await app.api("DELETE", "/api/streams/clock");
    await app.api("POST", "/api/streams/import", list);
    const { json: imported } = await app.api("GET", "/api/streams/clock");
    assert.deepEqual([imported.acceptedCertificates, imported.colour], [FINGERPRINT, "of another tool"]);
    const { status, json } = await app.api("PATCH", "/api/streams/clock", { acceptedCertificates: "any" });
    assert.equal(status, 400);
    assert.match(json.error.fields.acceptedCertificates, /SHA-256 fingerprint/);
  },
);

appTest("before its page was seen, a stream has no thumbnail: the empty window is never one", async (app) => {
  app.machine.supervisord.onbrowser = () => {};
  await app.create({ name: "Clock" });
  app.machine.advance(6000);
  assert.equal((await app.fetch("/api/streams/clock/thumb")).status, 202);
  app.service.thumbnails.round();
  const { status, json } = await app.api("POST", "/api/streams/clock/thumb");
  assert.equal(status, 409);
  assert.match(json.error.message, /does not show its page yet/);
  await app.service.fleet.get(ID).page!.pageIs(true);
  app.service.thumbnails.round(); // somebody has asked for it
  await app.service.fleet.get(ID).thumbnail.capture(); // joins
  assert.equal((await app.fetch("/api/streams/clock/thumb")).status, 200);
});
