/** Names, groups and files as people enter them: one rule for all places. */
import { strict as assert } from "node:assert";
import { appTest, type TestApp, testApp } from "../support/app.ts";
import { tempDir } from "../support/fixture.ts";

const URL = "https://clock.example.org/";
const MAIL = { way: "ntfy", address: "https://ntfy.sh/a-topic-nobody-guesses" };
const PASSWORD = "correct horse battery";

type Entry = (app: TestApp, text: string) => Promise<{ status: number; json: unknown }>;

const stream = { name: "Clock", url: URL, desiredState: "stopped" };

/** Each place where a text is entered: its field, and what is read back of it. */
const PLACES: Record<string, { field: string; enter: Entry; read: (app: TestApp) => Promise<unknown> }> = {
  "a stream's name": {
    field: "name",
    enter: (app, name) => app.api("POST", "/api/streams", { ...stream, name }),
    read: async (app) => (await app.api("GET", "/api/streams")).json.at(-1)?.name,
  },
  "a changed name": {
    field: "name",
    enter: async (app, name) => {
      await app.api("POST", "/api/streams", { ...stream, id: "changed" });
      return await app.api("PATCH", "/api/streams/changed", { name });
    },
    read: async (app) => (await app.api("GET", "/api/streams/changed")).json.name,
  },
  "an imported name": {
    field: "1: name",
    enter: (app, name) =>
      app.api("POST", "/api/streams/import", { streams: [{ id: "brought", url: URL, name }] }),
    read: async (app) => (await app.api("GET", "/api/streams/brought")).json.name,
  },
  "a stream's group": {
    field: "group",
    enter: (app, group) => app.api("POST", "/api/streams", { ...stream, group }),
    read: async (app) => (await app.api("GET", "/api/streams")).json.at(-1)?.group,
  },
  "a wall's name": {
    field: "name",
    enter: (app, name) => app.api("POST", "/api/walls", { name }),
    read: async (app) => (await app.api("GET", "/api/walls")).json.at(-1)?.name,
  },
  "a receiver's name": {
    field: "name",
    enter: (app, name) => app.api("POST", "/api/receivers", { ...MAIL, name }),
    read: async (app) => (await app.api("GET", "/api/receivers")).json.at(-1)?.name,
  },
  "a receiver's group": {
    field: "groups",
    enter: (app, group) => app.api("POST", "/api/receivers", { ...MAIL, name: "A", groups: [group] }),
    read: async (app) => (await app.api("GET", "/api/receivers")).json.at(-1)?.groups[0],
  },
  "an app's name": {
    field: "name",
    enter: (app, name) => app.api("POST", "/api/access-tokens", { name }),
    read: async (app) => (await app.api("GET", "/api/access-tokens")).json.at(-1)?.name,
  },
  // without a group it would open all streams
  "an app's group": {
    field: "group",
    enter: (app, group) => app.api("POST", "/api/access-tokens", { name: "A", group }),
    read: async (app) => (await app.api("GET", "/api/access-tokens")).json.at(-1)?.group,
  },
  "a user's name": {
    field: "name",
    enter: (app, name) => app.api("POST", "/api/users", { name, role: "admin", password: PASSWORD }),
    read: async (app) => (await app.api("GET", "/api/users")).json.at(-1)?.name,
  },
};

Deno.test("a text that people enter is the same rule's in every place, and one that shows nothing is refused there", async () => {
  const wrong: unknown[] = [];
  for (const [what, { field, enter, read }] of Object.entries(PLACES)) {
    await using app = await testApp({ env: { AUTH_USER: "root", AUTH_PASS: PASSWORD } });
    const refused = await enter(app, "\u200b\u2060");
    const fields = Object.keys((refused.json as { error?: { fields?: object } }).error?.fields ?? {});
    const taken = await enter(app, "\u202eEtage\u00a0\u200b2 Cafe\u0301\u3164");
    const line = await read(app);
    const isRight = refused.status === 400 && fields.some((one) => one.endsWith(field)) &&
      taken.status < 300 &&
      line === "Etage 2 Café";
    if (!isRight) wrong.push([what, refused.status, fields, taken.status, line]);
  }
  assert.deepEqual(wrong, []);
});

appTest("groups that look the same are one, in the playlist and for an app", async (app) => {
  const groups = ["Etage 2", "Etage\u00a02", "etage 2", "Etage 2\u200b"];
  for (const [at, group] of groups.entries()) await app.create({ ...stream, name: `S${at}`, group });
  const { json: { token } } = await app.api("POST", "/api/access-tokens", {
    name: "TV",
    group: "ETAGE\u2007\u200b2",
  });
  for (const path of ["/playlist.m3u?group=Etage%C2%A02", `/t/${token}/playlist.m3u`]) {
    const list = await (await app.fetch(path)).text();
    assert.equal(list.match(/#EXTINF/g)?.length, 4, path);
  }
});

Deno.test("a user is one whatever is not seen of the name, and logs in as it is typed; who a proxy names is nobody else", async () => {
  await using app = await testApp({
    env: {
      AUTH_USER: "root",
      AUTH_PASS: PASSWORD,
      TRUSTED_PROXIES: "127.0.0.1",
      TRUSTED_USER_HEADER: "x-user",
    },
  });
  assert.equal((await PLACES["a user's name"].enter(app, "anna b")).status, 201);
  assert.equal((await PLACES["a user's name"].enter(app, "Anna\u00a0b\u200b")).status, 409);
  for (const user of ["anna b", "\u200banna\u00a0b ", "root\u200b"]) {
    const body = new URLSearchParams({ user, pass: PASSWORD });
    const answer = await app.fetch("/login", { method: "POST", body });
    await answer.body?.cancel();
    assert.equal(answer.status, 303, JSON.stringify(user));
  }
  const asked = await app.fetch("/api/users", {
    headers: { "x-user": String.fromCharCode(...new TextEncoder().encode("anna b\u200b")) },
  });
  await asked.body?.cancel();
  assert.equal(asked.status, 403, "a viewer");
});

Deno.test("files of earlier versions are read with what nobody sees in their names, and nobody gets more by it", async () => {
  await using folder = await tempDir("/dev/shm");
  const data = `${folder.path}/data/streams`;
  await Deno.mkdir(data, { recursive: true });
  const unseen = "\u200b\u200b";
  const old = { url: URL, desiredState: "stopped" };
  const files = {
    "streams.json": [
      ...[{ ...old, id: "a", name: unseen, group: unseen }, { ...old, id: "b", name: "Lobby" }],
      ...[{ ...old, id: "c", name: "Lobby\u200b", group: "Etage\u00a02" }, {
        ...old,
        id: "d",
        name: "\u0958".repeat(120),
      }],
    ],
    "walls.json": { walls: [{ id: "w", name: unseen }] },
    "access-tokens.json": {
      tokens: [{ id: "0".repeat(12), name: unseen, hash: "0".repeat(64), createdAt: 0, group: unseen }],
    },
  };
  for (const [name, content] of Object.entries(files)) {
    await Deno.writeTextFile(`${data}/${name}`, JSON.stringify(content));
  }
  await using app = await testApp({ dir: folder.path });
  const { json: streams } = await app.api("GET", "/api/streams");
  assert.deepEqual(
    streams.slice(0, 3).map(({ id, name, group }: Record<string, string>) => [id, name, group]),
    [["a", "a", ""], ["b", "Lobby", ""], ["c", "Lobby", "Etage 2"]],
  );
  assert.equal(streams.length, 4);
  assert.equal((await app.api("GET", "/api/walls")).json[0].name, "Without a name");
  const [token] = (await app.api("GET", "/api/access-tokens")).json;
  assert.deepEqual([token.name, token.group], ["Without a name", unseen]);
});
