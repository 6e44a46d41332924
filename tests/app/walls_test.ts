/** Walls: the API, their page, and what the browser of a wall's channel gets of the service. */
import { strict as assert } from "node:assert";
import { WALL_HOST, wallAddress } from "../../lib/reach/wall_address.ts";
import { streamId } from "../../lib/model/id.ts";
import { appTest, type TestApp, testApp } from "../support/app.ts";
import { nginx, PLAYLIST } from "../support/hls_fixture.ts";
import { fakeUpstream } from "../support/upstream.ts";

const SLOTS = [{ row: 1, column: 1, stream: "clock" }, { row: 2, column: 2, stream: "gone" }];

async function read(app: TestApp, path: string, init: RequestInit = {}) {
  const answer = await app.fetch(path, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

appTest("a wall is made, shown, changed and deleted", async (app) => {
  const made = await app.api("POST", "/api/walls", { name: "Lobby", slots: SLOTS });
  assert.deepEqual([made.status, made.headers.get("location")], [201, "/api/walls/lobby"]);
  assert.deepEqual((await app.api("GET", "/api/walls")).json, [made.json]);
  assert.deepEqual((await app.api("GET", "/api/walls/lobby")).json, made.json);
  const named = await app.api("PATCH", "/api/walls/lobby", { name: "Hall", revision: 0 });
  assert.deepEqual([named.json.name, named.json.slots, named.json.revision], ["Hall", made.json.slots, 1]);
  const stale = await app.api("PUT", "/api/walls/lobby", { name: "Late", revision: 0 });
  assert.deepEqual([stale.status, stale.json.current], [409, named.json]);
  const replaced = await app.api("PUT", "/api/walls/lobby", { name: "Hall", rows: 1, columns: 1 });
  assert.deepEqual([replaced.json.slots, replaced.json.id], [[], "lobby"]);
  const refused = await app.api("POST", "/api/walls", { name: "Bad", rows: 9 });
  assert.deepEqual([refused.status, Object.keys(refused.json.error.fields)], [400, ["rows"]]);
  assert.equal((await app.api("DELETE", "/api/walls/lobby")).status, 204);
  for (const method of ["GET", "DELETE", "PATCH"]) {
    const { status, json } = await app.api(method, "/api/walls/lobby", method === "PATCH" ? {} : undefined);
    assert.deepEqual([status, json.error.message], [404, 'There is no wall "lobby".'], method);
  }
});

appTest(
  "other tools' fields stay, whatever they are called, and the page is there all the same",
  async (app) => {
    const body =
      '{"name":"Lobby","note":{"__proto__":[1]},"slots":[{"row":1,"column":1,"tag":{"__proto__":2}}]}';
    const headers = { "content-type": "application/json" };
    assert.equal((await read(app, "/api/walls", { method: "POST", headers, body })).status, 201);
    await app.api("PATCH", "/api/walls/lobby", { rows: 1 });
    const { text } = await read(app, "/api/walls/lobby");
    assert.match(text, /"note":\{"__proto__":\[1\]\}/);
    assert.match(text, /"tag":\{"__proto__":2\}/);
    const page = await read(app, "/wall");
    assert.equal(page.status, 200);
    assert.match(page.text, /Open Lobby/);
  },
);

appTest(
  "a wall's view has its streams with their states, and that of all running ones joins who starts",
  async (app) => {
    await app.create({ id: "clock", name: "Clock", desiredState: "stopped" });
    await app.api("POST", "/api/walls", { name: "Lobby", slots: SLOTS });
    const streams = async (path: string) =>
      (await app.api("GET", path)).json.slots.map((slot: { stream: { id: string; state: string } }) =>
        `${slot.stream.id} ${slot.stream.state}`
      );
    assert.deepEqual(await streams("/api/walls/lobby/view"), ["clock stopped", "gone gone"]);
    assert.deepEqual(await streams("/api/walls/running/view"), []);
    await app.api("POST", "/api/streams/clock/start");
    assert.match((await streams("/api/walls/running/view")).join(), /^clock (starting|running)$/);
    assert.equal((await app.api("GET", "/api/walls/none/view")).status, 404);
  },
);

appTest("the page lists the walls; with a layout it is that wall alone, and no editor", async (app) => {
  await app.api("POST", "/api/walls", { name: "<b>Lobby</b>" });
  const list = await read(app, "/wall");
  assert.equal(list.status, 200);
  for (const text of ["&lt;b>Lobby&lt;/b>", "All running streams", 'href="/wall?layout=b-lobby-b"']) {
    assert.ok(list.text.includes(text), text);
  }
  const wall = await read(app, "/wall?layout=b-lobby-b");
  assert.match(wall.text, /<title>&lt;b&gt;Lobby&lt;\/b&gt;<\/title>/);
  assert.match(wall.text, /data-layout="b-lobby-b"/);
  assert.match(wall.headers.get("content-security-policy")!, /default-src 'self'/);
  assert.match((await read(app, "/wall?layout=running")).text, /All running streams/);
  for (const file of wall.text.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css)[^"]*)"/g)) {
    assert.equal((await read(app, file[1])).status, 200, file[1]);
  }
  const none = await read(app, "/wall?layout=none");
  assert.deepEqual([none.status, none.text.includes("There is no wall")], [404, true]);
});

appTest(
  "an access token opens walls, with the streams that it opens, by addresses that carry it",
  async (app) => {
    for (const name of ["Clock", "News"]) await app.create({ name, desiredState: "stopped" });
    const slots = ["clock", "news"].map((stream, at) => ({ row: 1, column: at + 1, stream }));
    await app.api("POST", "/api/walls", { name: "Lobby", slots });
    const { json: { token } } = await app.api("POST", "/api/access-tokens", {
      name: "TV",
      streams: ["news"],
    });
    const page = await read(app, `/t/${token}/wall?layout=lobby`);
    assert.equal(page.status, 200);
    assert.match((await read(app, `/t/${token}/wall`)).text, /All running streams/, "no list to choose from");
    const addresses = [...page.text.matchAll(/(?:src|href|data-base)="([^"]+)"/g)].map(([, address]) =>
      address
    );
    for (const address of addresses.filter((one) => one !== "data:,")) {
      assert.ok(address.startsWith(`/t/${token}`), address);
    }
    for (const file of addresses.filter((one) => /\.(js|css)/.test(one))) {
      assert.equal((await read(app, file)).status, 200, file);
    }
    const view = JSON.parse((await read(app, `/t/${token}/api/walls/lobby/view`)).text);
    assert.deepEqual(view.slots.map(({ stream }: { stream: { id: string } | null }) => stream?.id), [
      undefined,
      "news",
    ]);
  },
);

const LOGIN = { AUTH_USER: "anna", AUTH_PASS: "correct horse battery staple" };

Deno.test("the browser of a wall's channel gets its wall through the login, and nothing else of the service", async () => {
  await using upstream = fakeUpstream(nginx);
  await using app = await testApp({
    env: { ...LOGIN, MEDIA_PORT: new URL(upstream.origin).port, ALLOWED_HOSTS: "*" },
    isStarted: true,
  });
  for (const name of ["Clock", "News"]) await app.create({ name, desiredState: "stopped" });
  await app.api("POST", "/api/walls", { name: "Lobby", slots: SLOTS });
  await app.create({ name: "Mirror", url: wallAddress("lobby") });
  const host = { headers: { host: WALL_HOST } };
  // as the keeper and the first opening know it
  const running = app.service.streams.list("admin").find(({ id }) => id === "mirror")!;
  assert.equal(running.url, wallAddress("lobby"), "what people and programs see has no token");
  const { pathname, search } = new URL(app.service.pageAddress(running));
  const prefix = pathname.replace(/\/wall$/, "");
  const page = await read(app, pathname + search, host);
  assert.match(page.text, /data-layout="lobby"/);
  assert.match((await read(app, `${prefix}/wall?layout=running`, host)).text, /data-layout="lobby"/);
  assert.equal(page.headers.get("referrer-policy"), "no-referrer");
  assert.equal((await read(app, `${prefix}/api/hls${PLAYLIST}`, host)).status, 200);
  assert.equal((await read(app, `${prefix}/api/walls/lobby/view`, host)).status, 200);
  for (const file of page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
    assert.equal((await read(app, file[1], host)).status, 200, file[1]);
  }
  const session = app.service.login.session.cookie(false).split(";")[0];
  const closed = [
    ...["/", "/wall", "/login", "/healthz", "/styles.css", "/api/streams", "/api/walls", "/playlist.m3u"],
    ...["/", "/login", "/api/streams", "/api/walls/lobby", "/api/streams/news/thumb", "/vnc/clock"].map((
      path,
    ) => prefix + path),
  ];
  for (const path of closed) {
    for (const headers of [host.headers, { ...host.headers, cookie: session }]) {
      assert.equal((await read(app, path, { headers })).status, 404, path);
    }
  }
  assert.equal((await read(app, `${prefix}/wall`)).status, 404, "under another name it opens nothing");
  await app.api("DELETE", "/api/streams/mirror");
  assert.equal((await read(app, pathname, host)).status, 404);
});

appTest(
  "a stream's page may be a wall, and no other address of the walls' host; a wall is not tried",
  async (app) => {
    const made = await app.create({ name: "Mirror", url: wallAddress("lobby"), desiredState: "stopped" });
    assert.equal(made.id, streamId("mirror"));
    const bad = await app.api("POST", "/api/streams", {
      name: "Bad",
      url: `http://${WALL_HOST}/api/streams`,
    });
    assert.deepEqual([bad.status, Object.keys(bad.json.error.fields)], [400, ["url"]]);
    const tried = await app.api("POST", "/api/streams/try", { url: wallAddress("lobby") });
    assert.deepEqual([tried.status, Object.keys(tried.json.error.fields)], [400, ["url"]]);
  },
);
