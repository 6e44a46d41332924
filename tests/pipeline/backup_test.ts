import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { PublicStream } from "../../lib/streams/schema.ts";
import type { StreamStatus } from "../../lib/streams/status.ts";
import { makeDataDir, startService, until } from "../support/service.ts";

/** A streams.json as other tools write it: texts for numbers, null and "" for what is not set, fields of their own. */
function othersFile(pageUrl: string) {
  return [
    {
      id: "news-wall",
      name: "News wall",
      url: pageUrl,
      order: "1",
      desiredState: "running",
      gpu: false,
      threads: "1",
      delay: "0s",
      fps: "10",
      bitrate: "800k",
      bufsize: null,
      user: "",
      pass: null,
      autoReload: "false",
      autoReloadInterval: "15",
      autologin: { selector: "#user", wait: [1, 2] },
      createdAt: "2024-11-05T10:00:00Z",
    },
    {
      id: "login",
      name: "Login",
      url: `${pageUrl}login.html`,
      fps: 5,
      user: "ops",
      pass: "s3cret",
      order: "0",
    },
    { id: "off", name: "Off", url: pageUrl, desiredState: "stopped", tune: "", preset: null, order: null },
  ];
}

function pidsOf({ programs }: StreamStatus): Record<string, number> {
  return Object.fromEntries(programs.filter(({ pid }) => pid).map(({ name, pid }) => [name, pid]));
}

Deno.test("the list of streams is taken away and brought back", async (t) => {
  const dataDir = await makeDataDir();
  const service = await startService({ dataDir });
  const file = othersFile(service.pageUrl);
  const asked = async (method: string, path: string, body?: unknown) => {
    const answer = await service.api(method, path, body);
    return { status: answer.status, body: await answer.json() };
  };
  const listed = async (): Promise<PublicStream[]> => (await asked("GET", "/api/streams")).body;
  const running = (id: string) =>
    until(`${id} to run`, 60_000, async () => (await service.status(id)).state === "running");
  let backup: { streams: PublicStream[] };
  let isStopped = false;
  try {
    await t.step("a preview tells what would be added, and adds nothing", async () => {
      const { status, body } = await asked("POST", "/api/streams/import?preview", file);
      assert.equal(status, 200);
      assert.deepEqual(body, {
        added: [{ id: "news-wall", name: "News wall" }, { id: "login", name: "Login" }, {
          id: "off",
          name: "Off",
        }],
        changed: [],
        unchanged: [],
        applied: false,
      });
      assert.deepEqual(await listed(), []);
      await assert.rejects(Deno.stat(join(dataDir, "streams/streams.json")));
    });

    await t.step("a bad entry refuses the whole list, with every problem", async () => {
      const bad = [...file, { name: "Bad", url: "file:///etc/passwd", fps: "many" }, "text", file[0]];
      const { status, body: { error } } = await asked("POST", "/api/streams/import", bad);
      assert.equal(status, 400);
      assert.deepEqual(Object.keys(error.fields).sort(), [
        "4 (Bad): fps",
        "4 (Bad): url",
        "5",
        "6 (News wall): id",
      ]);
      assert.match(error.fields["4 (Bad): url"], /Example: https/);
      const many = Array.from({ length: 10_000 }, (_, at) => ({ id: `s${at}`, url: service.pageUrl }));
      assert.match((await asked("POST", "/api/streams/import", many)).body.error.message, /at most 1000/);
      const large = { ...file[0], more: "x".repeat(9 * 1024 * 1024) };
      assert.equal((await asked("POST", "/api/streams/import", [large])).status, 413);
      const form = await fetch(`${service.url}/api/streams/import`, {
        method: "POST",
        body: JSON.stringify(file),
      });
      assert.equal(form.status, 415);
      await form.body?.cancel();
      assert.deepEqual(await listed(), []);
    });

    await t.step("another tool's file is imported as it is, and its streams run", async () => {
      const { status, body } = await asked("POST", "/api/streams/import", file);
      assert.deepEqual([status, body.applied, body.added.length], [200, true, 3]);
      const shown = await listed();
      assert.deepEqual(shown.map(({ id, order }) => [id, order]), [["login", 0], ["news-wall", 1], [
        "off",
        2,
      ]]);
      const [login, news] = shown;
      assert.deepEqual([news.fps, news.autoReload, news.autoReloadInterval, news.bufsize], [
        10,
        false,
        15,
        "3000k",
      ]);
      assert.deepEqual(news.autologin, { selector: "#user", wait: [1, 2] });
      assert.deepEqual([login.passSet, login.pass], [true, undefined]);
      await running("news-wall");
      await running("login");
      assert.equal((await service.status("off")).state, "stopped");
      await until("the login", 60_000, async () => {
        const { body } = await asked("GET", "/api/streams/login/log/autologin");
        const isOver = !("autologin-login" in pidsOf(await service.status("login")));
        return isOver && body.text.includes("login form sent");
      });
    });

    await t.step(
      "the export has everything but passwords, and changes nothing when it comes back",
      async () => {
        const answer = await service.api("GET", "/api/streams/export");
        const name = `browser-stream-${new Date().toISOString().slice(0, 10)}.json`;
        assert.equal(answer.headers.get("content-disposition"), `attachment; filename="${name}"`);
        const text = await answer.text();
        assert.ok(!text.includes("s3cret"));
        backup = JSON.parse(text);
        assert.deepEqual(backup.streams.map(({ id, passSet }) => [id, passSet]), [
          ["login", true],
          ["news-wall", undefined],
          ["off", undefined],
        ]);
        const before = await listed();
        const { body } = await asked("POST", "/api/streams/import", backup);
        assert.deepEqual([body.unchanged, body.changed], [["login", "news-wall", "off"], []]);
        assert.deepEqual(await listed(), before);
      },
    );

    await t.step("only what a changed stream needs is restarted; the others stay", async () => {
      const [login, news] = [
        pidsOf(await service.status("login")),
        pidsOf(await service.status("news-wall")),
      ];
      const changed = backup.streams.map((stream) =>
        stream.id === "login" ? { ...stream, bitrate: "900k" } : stream
      );
      const { body } = await asked("POST", "/api/streams/import", { streams: changed.slice(0, 2) });
      assert.deepEqual(body.changed, [{ id: "login", name: "Login", fields: ["bitrate"] }]);
      await until("a new encoder", 30_000, async () => {
        const { "encoder-login": pid } = pidsOf(await service.status("login"));
        return pid && pid !== login["encoder-login"];
      });
      const now = pidsOf(await service.status("login"));
      assert.deepEqual({ ...now, "encoder-login": 0 }, { ...login, "encoder-login": 0 });
      assert.deepEqual(pidsOf(await service.status("news-wall")), news);
      const shown = await listed();
      assert.deepEqual(shown.map(({ id, revision, passSet }) => [id, revision, passSet]), [
        ["login", 1, true],
        ["news-wall", 0, false],
        ["off", 0, false],
      ]);
      const stored = JSON.parse(await Deno.readTextFile(join(dataDir, "streams/streams.json")));
      assert.equal(stored[0].pass, "s3cret");
    });

    await t.step("a deleted stream comes back in its place, and asks for its password", async () => {
      assert.equal((await service.api("DELETE", "/api/streams/login")).status, 204);
      const { body } = await asked("POST", "/api/streams/import", backup);
      assert.deepEqual(body.added, [{ id: "login", name: "Login", needsPassword: true }]);
      assert.deepEqual((await listed()).map(({ id }) => id), ["login", "news-wall", "off"]);
      await running("login");
    });

    await t.step(
      "others do not wait for a large import, and neither does the end of the service",
      async () => {
        const many = Array.from(
          { length: 8 },
          (_, at) => ({ id: `wall-${at}`, name: `Wall ${at}`, url: service.pageUrl }),
        );
        const { body } = await asked("POST", "/api/streams/import", many);
        assert.equal(body.added.length, 8);
        const mine = await service.create({ name: "Mine", fps: 5 });
        const states = Object.values(
          (await asked("GET", "/api/streams/statuses")).body as Record<string, StreamStatus>,
        );
        const begun = states.filter(({ id, programs }) =>
          id.startsWith("wall-") && programs.some(({ pid }) => pid > 0)
        );
        assert.ok((await service.status(mine.id)).programs.some(({ pid }) => pid > 0));
        assert.ok(begun.length < 8, `all were started before: ${begun.map(({ id }) => id)}`);
        const took = await service.stop();
        isStopped = true;
        assert.ok(took < 10_000, `${took} ms`);
        const stored: PublicStream[] = JSON.parse(
          await Deno.readTextFile(join(dataDir, "streams/streams.json")),
        );
        const walls = stored.filter(({ id }) => id.startsWith("wall-"));
        assert.deepEqual(walls.map(({ desiredState }) => desiredState), Array(8).fill("running"));
      },
    );
  } finally {
    if (!isStopped) await service.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
});
