/** Still pictures and pictures that go on, for home automation and small displays. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { appTest, testApp } from "../support/app.ts";
import { JPEG, PNG } from "../support/machine.ts";
import { until } from "../support/same.ts";

const JPG_PATH = "/api/streams/clock/snapshot.jpg";
const MJPEG_PATH = "/api/streams/clock/mjpeg";

appTest("a snapshot is the picture of now, with a tag, and 304 for whom has it", async (app) => {
  await app.create();
  const first = await app.fetch(JPG_PATH);
  assert.deepEqual([first.status, first.headers.get("content-type")], [200, "image/jpeg"]);
  assert.deepEqual(await first.bytes(), JPEG);
  assert.equal(first.headers.get("cache-control"), "no-cache");
  const etag = first.headers.get("etag")!;
  const again = await app.fetch(JPG_PATH, { headers: { "if-none-match": etag } });
  assert.deepEqual([again.status, await again.text()], [304, ""]);
  app.machine.advance(1000);
  const png = await app.fetch("/api/streams/clock/snapshot.png");
  assert.deepEqual([png.status, png.headers.get("content-type")], [200, "image/png"]);
  assert.deepEqual(await png.bytes(), PNG);
});

appTest("without a picture a snapshot says why", async (app) => {
  await app.create({ desiredState: "stopped" });
  assert.equal((await app.fetch(JPG_PATH)).status, 409);
  assert.equal((await app.fetch("/api/streams/gone/snapshot.jpg")).status, 404);
  await app.create({ name: "Rare", onDemand: true });
  const rare = await app.fetch("/api/streams/rare/snapshot.jpg");
  assert.deepEqual([rare.status, rare.headers.get("retry-after")], [503, "5"]);
  await app.idle();
  assert.equal((await app.fetch("/api/streams/rare/snapshot.jpg")).status, 200, "who asked has started it");
});

appTest(
  "pictures go on at the rate that is asked for, count as a viewer, and end with the stream",
  async (app) => {
    await app.create();
    const rates: string[] = [];
    let isWatched = false;
    app.machine.broker.watch = async function* (_id, resolution, fps, signal) {
      isWatched = true;
      rates.push(`${resolution} ${fps}`);
      yield JPEG;
      await new Promise((done) => signal.addEventListener("abort", done));
      isWatched = false;
    };
    for (const fps of ["0", "6", "2.5", "fast", "-1", "10"]) {
      assert.equal((await app.fetch(`${MJPEG_PATH}?fps=${fps}`)).status, 400, fps);
    }
    const answer = await app.fetch(`${MJPEG_PATH}?fps=3`, { headers: { "user-agent": "ESP32" } });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type")!, /^multipart\/x-mixed-replace; boundary=/);
    const reader = answer.body!.getReader();
    let bytes = 0;
    const reading = (async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
    })();
    await until("the picture", () => bytes > JPEG.length);
    assert.deepEqual(rates, ["1280x720 3"]);
    assert.equal((await app.api("GET", "/api/figures")).json.clock.viewers, 1);
    await app.api("POST", "/api/streams/clock/stop");
    app.service.fleet.tick();
    await reading;
    await until("the display to be left", () => !isWatched);
    assert.equal((await app.fetch(MJPEG_PATH)).status, 404);
  },
);

Deno.test("pictures need a login or a token of the stream, and end with it", async () => {
  await using app = await testApp({ env: { AUTH_USER: "anna", AUTH_PASS: "correct horse" } });
  await app.create();
  await app.create({ name: "Other" });
  for (const path of [JPG_PATH, MJPEG_PATH]) assert.equal((await app.fetch(path)).status, 401, path);
  const { json } = await app.api("POST", "/api/access-tokens", { name: "Home", streams: ["clock"] });
  const prefix = `/t/${json.token}`;
  assert.equal((await app.fetch(prefix + JPG_PATH)).status, 200);
  const answer = await app.fetch(prefix + MJPEG_PATH);
  assert.equal(answer.status, 200);
  for (const name of ["snapshot.jpg", "snapshot.png", "mjpeg", "snapshot.gif", "mjpeg%2f", "home"]) {
    assert.equal((await app.fetch(`${prefix}/api/streams/other/${name}`)).status, 404, name);
  }
  assert.equal((await app.fetch(`${prefix}/api/streams/clock/home`)).status, 404);
  await app.api("DELETE", `/api/access-tokens/${json.id}`);
  app.service.fleet.tick();
  await answer.text();
  assert.equal(app.service.fleet.find(streamId("clock"))?.isRunning, true);
});
