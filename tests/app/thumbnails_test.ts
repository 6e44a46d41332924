/** Thumbnails over HTTP, with a capture in memory. */
import { strict as assert } from "node:assert";
import { isWholeJpeg } from "../../lib/display/screen_grabs.ts";
import { streamId } from "../../lib/model/id.ts";
import { appTest, type TestApp } from "../support/app.ts";
import { JPEG } from "../support/machine.ts";

const PATH = "/api/streams/clock/thumb";

function thumbnailTest(name: string, test: (app: TestApp) => Promise<void>, desiredState = "running") {
  appTest(name, async (app) => {
    await app.create({ desiredState });
    await test(app);
  });
}

/** Captures one and waits for it. */
async function captured(app: TestApp): Promise<void> {
  assert.equal((await app.api("POST", PATH)).status, 202);
  await app.service.fleet.get(streamId("clock")).thumbnail.capture(); // joins
}

thumbnailTest(
  "a running stream without a thumbnail: 202 with an image, until the one asked for is there",
  async (app) => {
    app.machine.advance(6000);
    const answer = await app.fetch(PATH);
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [202, "2"]);
    assert.equal(answer.headers.get("content-type"), "image/svg+xml");
    assert.match(await answer.text(), /^<svg /);
    await app.service.fleet.get(streamId("clock")).thumbnail.capture(); // joins
    const next = await app.fetch(PATH);
    assert.deepEqual([next.status, next.headers.get("content-type")], [200, "image/jpeg"]);
    assert.deepEqual(await next.bytes(), JPEG);
  },
);

thumbnailTest("a stopped stream without a thumbnail: 404 with an image", async (app) => {
  const answer = await app.fetch(PATH);
  assert.deepEqual([answer.status, answer.headers.get("retry-after")], [404, null]);
  assert.match(await answer.text(), /^<svg /);
}, "stopped");

thumbnailTest(
  "POST answers 202 with the time of the one before; its time stands in the status",
  async (app) => {
    assert.deepEqual((await app.api("POST", PATH)).json, { thumbAt: null });
    await app.service.fleet.get(streamId("clock")).thumbnail.capture();
    const { json } = await app.api("GET", "/api/streams/statuses");
    assert.ok(json.clock.thumbAt > 0);
    assert.deepEqual((await app.api("POST", PATH)).json, { thumbAt: json.clock.thumbAt });
    await app.service.fleet.get(streamId("clock")).thumbnail.capture();
  },
);

thumbnailTest("POST for a stopped stream is a 409", async (app) => {
  const { status, json } = await app.api("POST", PATH);
  assert.equal(status, 409);
  assert.match(json.error.message, /does not run/);
}, "stopped");

thumbnailTest(
  "HEAD of a thumbnail has its length and no body; who has the thumbnail gets 304",
  async (app) => {
    await captured(app);
    const first = await app.fetch(PATH);
    assert.equal(first.headers.get("cache-control"), "no-cache");
    assert.deepEqual(await first.bytes(), JPEG);
    const head = await app.fetch(PATH, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
    for (const { headers } of [first, head]) assert.equal(headers.get("content-length"), String(JPEG.length));
    const headers = { "if-none-match": first.headers.get("etag")! };
    const second = await app.fetch(PATH, { headers });
    assert.deepEqual([second.status, await second.text()], [304, ""]);
    assert.equal(second.headers.get("etag"), headers["if-none-match"]);
  },
);

thumbnailTest("the address of one thumbnail may be kept, and that of another one not", async (app) => {
  await captured(app);
  const at = app.service.fleet.get(streamId("clock")).thumbnail.capturedAt!;
  const kept = async (query: string) => {
    const answer = await app.fetch(`${PATH}?at=${query}`);
    assert.deepEqual(await answer.bytes(), JPEG);
    return answer.headers.get("cache-control");
  };
  assert.equal(await kept(`${at}`), "private, max-age=300, immutable");
  assert.equal(await kept(`${at - 1}`), "no-cache");
  assert.equal(await kept(`0${at}`), "no-cache");
});

thumbnailTest(
  "a channel's logo is a JPEG at any time, and has another address when it is another",
  async (app) => {
    const logo = async () => {
      const list = await (await app.fetch("/playlist.m3u")).text();
      const address = new URL(/tvg-logo="([^"]+)"/.exec(list)![1]);
      return address.pathname + address.search;
    };
    const [first, guide] = [await logo(), await app.fetch("/epg.xml")];
    const none = await app.fetch(first);
    assert.deepEqual([none.status, none.headers.get("content-type")], [200, "image/jpeg"]);
    assert.ok(isWholeJpeg(await none.bytes()));
    app.machine.advance(6000);
    await captured(app);
    const second = await logo();
    assert.notEqual(second, first);
    assert.deepEqual(await (await app.fetch(second)).bytes(), JPEG);
    const etag = guide.headers.get("etag")!;
    assert.ok((await guide.text()).includes(first));
    const next = await app.fetch("/epg.xml", { headers: { "if-none-match": etag } });
    assert.equal(next.status, 200, "the guide is another one, too");
    assert.ok(!(await next.text()).includes("logo=0"));
  },
);
