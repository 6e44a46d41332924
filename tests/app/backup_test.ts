/** Export and import of the list, over HTTP. */
import { strict as assert } from "node:assert";
import type { PublicStream } from "../../lib/model/schema.ts";
import { appTest, type TestApp } from "../support/app.ts";
import { isThere } from "../support/fixture.ts";

const url = "https://example.org/";

/** A streams.json as other tools write it: texts for numbers, null and "" for what is not set, fields of their own. */
const FILE = [
  {
    id: "news-wall",
    name: "News wall",
    url,
    order: "1",
    desiredState: "stopped",
    threads: "1",
    delay: "0s",
    fps: "10",
    bufsize: null,
    pass: null,
    autoReload: "false",
    autoReloadInterval: "15",
    autologin: { selector: "#user", wait: [1, 2] },
    createdAt: "2024-11-05T10:00:00Z",
  },
  { id: "login", name: "Login", url, user: "ops", pass: "s3cret", order: "0", desiredState: "stopped" },
  { id: "off", name: "Off", url, desiredState: "stopped", tune: "", preset: null, order: null },
];

const imported = (app: TestApp, content: unknown, query = "") =>
  app.api("POST", `/api/streams/import${query}`, content);

const OWN_PAGE = { name: "Clock", url: "https://clock.example.org/" };

async function exported(app: TestApp): Promise<{ streams: PublicStream[] }> {
  return (await app.api("GET", "/api/streams/export")).json;
}

appTest("a preview tells what would be added, and adds nothing", async (app) => {
  const { status, json } = await imported(app, FILE, "?preview");
  assert.equal(status, 200);
  assert.deepEqual(json, {
    added: FILE.map(({ id, name }) => ({ id, name })),
    changed: [],
    unchanged: [],
    walls: { added: [], changed: [], unchanged: [] },
    applied: false,
  });
  assert.equal(await isThere(app.paths.streamsFile), false);
});

appTest("another tool's file is imported as it is", async (app) => {
  const { status, json } = await imported(app, FILE);
  assert.deepEqual([status, json.applied, json.added.length], [200, true, 3]);
  const shown: PublicStream[] = (await app.api("GET", "/api/streams")).json;
  assert.deepEqual(shown.map(({ id, order }) => `${id} ${order}`), ["login 0", "news-wall 1", "off 2"]);
  const [login, feed] = shown;
  assert.deepEqual([feed.fps, feed.autoReload, feed.autoReloadInterval, feed.bufsize], [
    10,
    false,
    15,
    "3000k",
  ]);
  assert.deepEqual(feed.autologin, { selector: "#user", wait: [1, 2] });
  assert.deepEqual([login.passSet, login.pass], [true, undefined]);
});

appTest(
  "the export is a file with everything but passwords, and changes nothing when it comes back",
  async (app) => {
    await imported(app, FILE);
    const answer = await app.fetch("/api/streams/export");
    assert.match(
      answer.headers.get("content-disposition")!,
      /^attachment; filename="browser-stream-\d{4}-\d\d-\d\d\.json"$/,
    );
    const text = await answer.text();
    assert.ok(!text.includes("s3cret"));
    const backup: { streams: PublicStream[] } = JSON.parse(text);
    assert.deepEqual(backup.streams.map(({ id, passSet }) => [id, passSet]), [
      ["login", true],
      ["news-wall", undefined],
      ["off", undefined],
    ]);
    const { json } = await imported(app, backup);
    assert.deepEqual([json.unchanged, json.changed], [["login", "news-wall", "off"], []]);
  },
);

appTest(
  "walls come with the list: told by a preview, restored, and refused together with it",
  async (app) => {
    await imported(app, FILE);
    const slots = [{ row: 1, column: 1, stream: "off" }, { row: 1, column: 2, stream: "login" }];
    const { json: wall } = await app.api("POST", "/api/walls", { name: "Lobby", slots });
    const backup = await exported(app);
    assert.deepEqual((backup as unknown as { walls: unknown[] }).walls, [wall]);
    await app.api("DELETE", "/api/walls/lobby");
    await app.api("DELETE", "/api/streams/off");
    const walls = () => app.api("GET", "/api/walls").then(({ json }) => json);
    const bad = { ...backup, walls: [{ ...wall, showNames: "yes" }] };
    const refused = await imported(app, bad);
    assert.deepEqual([refused.status, Object.keys(refused.json.error.fields)], [400, [
      "wall 1 (Lobby): showNames",
    ]]);
    assert.equal(
      (await app.api("GET", "/api/streams/off")).status,
      404,
      "its streams were not taken over either",
    );
    const told = { added: [{ id: "lobby", name: "Lobby" }], changed: [], unchanged: [] };
    const preview = await imported(app, backup, "?preview");
    assert.deepEqual([preview.json.walls, await walls()], [told, []]);
    const done = await imported(app, backup);
    assert.deepEqual([done.json.walls, await walls()], [told, [wall]]);
    await app.api("PATCH", "/api/walls/lobby", { name: "Hall" });
    const again = await imported(app, backup);
    assert.deepEqual(again.json.walls.changed, [{ id: "lobby", name: "Lobby", fields: ["name"] }]);
    assert.equal((await walls())[0].revision, 2);
  },
);

appTest("a stored password goes to no style sheet: not by a change, and not by an import", async (app) => {
  await app.create({ ...OWN_PAGE, user: "ops", pass: "s3cret", desiredState: "stopped" });
  const css = "input[value^='s'] { background: url(https://own.example/s) }";
  for (const [method, body] of [["PATCH", { css }], ["PUT", { ...OWN_PAGE, user: "ops", css }]] as const) {
    const { status, json } = await app.api(method, "/api/streams/clock", body);
    assert.equal(status, 400, method);
    assert.match(json.error.fields.pass, /could be read by the style sheet/, method);
  }
  const { streams: [record] } = await exported(app);
  const { json } = await app.api("POST", "/api/streams/import", { streams: [{ ...record, css }] });
  assert.deepEqual(json.changed.map(({ needsPassword }: { needsPassword: boolean }) => needsPassword), [
    true,
  ]);
  const { passSet } = (await app.api("GET", "/api/streams/clock")).json;
  assert.equal(passSet, false);
});
