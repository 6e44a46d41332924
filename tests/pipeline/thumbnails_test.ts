import { strict as assert } from "node:assert";
import { join } from "node:path";
import { processesOfRun } from "../../lib/system/orphans.ts";
import { pipelineUser } from "../../lib/system/users.ts";
import { PAGE_COLOUR, untilPageShown } from "../support/channel.ts";
import { frames, isColour, pixel, probe } from "../support/media.ts";
import { makeDataDir, pause, startService, type TestService, until } from "../support/service.ts";

const thumbUrl = (service: TestService, id: string) => `${service.url}/api/streams/${id}/thumb`;

const thumbAt = async (service: TestService, id: string) => (await service.status(id)).thumbAt;

async function untilTaken(service: TestService, id: string, after = 0, limit = 20_000): Promise<number> {
  let taken = 0;
  await until(`a picture of ${id}`, limit, async () => (taken = await thumbAt(service, id) ?? 0) > after);
  return taken;
}

/** The status and body's size of an answer that must be the placeholder. */
async function placeholder(answer: Response): Promise<number> {
  assert.equal(answer.headers.get("content-type"), "image/svg+xml");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.match(await answer.text(), /^<svg /);
  return answer.status;
}

/** The captures under way. */
function captures(service: TestService): number[] {
  return processesOfRun(service.runDir).filter((pid) => commandLine(pid).includes("image2pipe"));
}

/** A process's command line, "" if it has ended. */
function commandLine(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
  } catch {
    return "";
  }
}

Deno.test("a stream has a picture of its page, which outlives a stop and a restart", async (t) => {
  const dataDir = await makeDataDir();
  let service = await startService({ dataDir });
  try {
    const { id } = await service.create({ name: "Clock" });
    const url = thumbUrl(service, id);
    const file = join(dataDir, "streams", id, "thumb.jpg");

    await t.step("before there is one, an image says so, and asking once is enough to get it", async () => {
      const answer = await fetch(url);
      assert.ok(Number(answer.headers.get("retry-after")) >= 1);
      assert.equal(await placeholder(answer), 202);
      assert.equal(await thumbAt(service, id), undefined);
      const taken = await untilTaken(service, id);
      assert.ok(Math.abs(Date.now() - taken) < 20_000);
    });

    let etag = "";
    await t.step("it is a JPEG of 640x360 in the page's colours", async () => {
      await untilPageShown(service, id, 0, 20_000);
      const before = await thumbAt(service, id);
      const asked = await fetch(url, { method: "POST" });
      assert.deepEqual([asked.status, await asked.json()], [202, { thumbAt: before }]);
      await untilTaken(service, id, before);
      const answer = await fetch(url);
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "image/jpeg"]);
      assert.equal(answer.headers.get("cache-control"), "no-cache");
      etag = answer.headers.get("etag")!;
      assert.deepEqual(await answer.bytes(), await Deno.readFile(file));
      const [stream] = (await probe(url)).streams;
      assert.deepEqual([stream.codec_name, stream.width, stream.height], ["mjpeg", 640, 360] as unknown[]);
      const [frame] = await frames(url, 640, 360, 1);
      for (const [x, y] of [[550, 300], [639, 359], [0, 359], [639, 0]]) {
        assert.ok(isColour(pixel(frame, x, y), PAGE_COLOUR), `${x}, ${y}: ${pixel(frame, x, y)}`);
      }
      assert.ok(!isColour(pixel(frame, 160, 75), PAGE_COLOUR), "the canvas is not there");
    });

    await t.step("who has it gets 304; HEAD has no body", async () => {
      for (const tag of [etag, `"other", W/${etag}`, "*"]) {
        const answer = await fetch(url, { headers: { "if-none-match": tag } });
        assert.deepEqual([answer.status, answer.headers.get("etag")], [304, etag]);
        assert.equal((await answer.bytes()).length, 0);
      }
      const head = await fetch(url, { method: "HEAD" });
      assert.deepEqual([head.status, head.headers.get("etag")], [200, etag]);
      assert.equal(Number(head.headers.get("content-length")), (await Deno.stat(file)).size);
      assert.equal((await head.bytes()).length, 0);
    });

    await t.step(
      "requests join one capture, which runs as the pipeline's user with no setting of ours",
      async () => {
        const before = (await thumbAt(service, id))!;
        const display = await service.programPid(`display-${id}`);
        Deno.kill(display, "SIGSTOP"); // so that the capture lasts
        try {
          for (let request = 0; request < 5; request++) {
            assert.equal((await fetch(url, { method: "POST" }).then((r) => r.json())).thumbAt, before);
          }
          await until("the capture", 5000, () => captures(service).length > 0);
          const [pid, ...others] = captures(service);
          assert.deepEqual(others, []);
          const { uid } = await pipelineUser("browser-stream");
          const status = await Deno.readTextFile(`/proc/${pid}/status`);
          assert.match(status, new RegExp(`^Uid:(\\s${uid}){4}$`, "m"));
          const names = (await Deno.readTextFile(`/proc/${pid}/environ`)).split("\0").filter((text) => text)
            .map((text) => text.split("=")[0]);
          assert.deepEqual(names.filter((name) => name !== "PWD").sort(), [
            "BROWSER_STREAM_RUN",
            "XAUTHORITY",
          ]);
          assert.deepEqual((await fetch(url)).headers.get("etag"), etag, "the old one is shown meanwhile");
        } finally {
          Deno.kill(display, "SIGCONT");
        }
        const taken = await untilTaken(service, id, before);
        await pause(1000);
        assert.deepEqual([await thumbAt(service, id), captures(service)], [taken, []]);
        const answer = await fetch(url, { headers: { "if-none-match": etag } });
        assert.equal(answer.status, 200, "the clock has moved on");
        etag = answer.headers.get("etag")!;
        await answer.body?.cancel();
        assert.deepEqual(await Array.fromAsync(Deno.readDir(join(file, "..")), ({ name }) => name), [
          "thumb.jpg",
        ]);
        const { uid, mode } = await Deno.stat(file);
        assert.deepEqual([uid, mode! & 0o777], [Deno.uid(), 0o600]);
      },
    );

    await t.step("stopped it keeps its picture, and a new one is refused", async () => {
      await service.api("POST", `/api/streams/${id}/stop`).then((r) => r.body?.cancel());
      const refused = await fetch(url, { method: "POST" });
      assert.equal(refused.status, 409);
      assert.match((await refused.json()).error.message, /"clock" does not run/);
      assert.equal((await fetch(url, { headers: { "if-none-match": etag } })).status, 304);
      await service.create({ name: "Never", desiredState: "stopped" });
      assert.equal(await placeholder(await fetch(thumbUrl(service, "never"))), 404);
    });

    await t.step("a restart of the service keeps it, with its time", async () => {
      const before = await thumbAt(service, id);
      assert.ok(before);
      await service.stop();
      await Deno.mkdir(join(dataDir, "streams/gone"));
      await Deno.writeTextFile(join(dataDir, "streams/gone/thumb.jpg"), "of a stream deleted by hand");
      service = await startService({ dataDir });
      assert.equal(await thumbAt(service, id), before);
      const answer = await fetch(thumbUrl(service, id), { headers: { "if-none-match": etag } });
      assert.equal(answer.status, 304);
      await assert.rejects(Deno.stat(join(dataDir, "streams/gone")));
    });

    await t.step("delete removes it and its folder; the stream list stays", async () => {
      assert.equal((await service.api("DELETE", `/api/streams/${id}`)).status, 204);
      await assert.rejects(Deno.stat(join(file, "..")));
      await Deno.stat(join(dataDir, "streams/streams.json"));
      const gone = await fetch(thumbUrl(service, id));
      assert.equal(gone.status, 404);
      assert.match((await gone.json()).error.message, /no stream "clock"/);
    });

    await t.step("ids that try to be something else find nothing", async () => {
      const ids = [
        "__proto__",
        "..%2f..%2fetc",
        "%2e%2e",
        "a%00b",
        "--help",
        "constructor",
        "streams.json",
        "Never",
      ];
      for (const hostile of ids) {
        for (const [method, verb] of [["GET", "thumb"], ["POST", "thumb"], ["POST", "recreate"]]) {
          const answer = await service.api(method, `/api/streams/${hostile}/${verb}`);
          assert.ok([400, 404].includes(answer.status), `${method} ${hostile}/${verb}: ${answer.status}`);
          assert.match(answer.headers.get("content-type")!, /json/);
          await answer.body?.cancel();
        }
        const answer = await service.api("POST", `/api/streams/${hostile}/autoreload`, { autoReload: true });
        assert.ok([400, 404].includes(answer.status), `autoreload of ${hostile}: ${answer.status}`);
        await answer.body?.cancel();
      }
      assert.deepEqual(
        await Array.fromAsync(Deno.readDir(join(dataDir, "streams")), ({ name }) => name),
        ["streams.json"],
      );
    });
  } finally {
    await service.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("the end of the web app ends the capture under way", async () => {
  const service = await startService();
  try {
    const { id } = await service.create({ name: "Busy" });
    const isWebApp = (pid: number) => / serve *$/.test(commandLine(pid));
    const [webApp] = processesOfRun(service.runDir).filter(isWebApp);
    const display = await service.programPid(`display-${id}`);
    Deno.kill(display, "SIGSTOP"); // so that the capture would last 10 s
    try {
      await service.api("POST", `/api/streams/${id}/thumb`).then((r) => r.body?.cancel());
      await until("the capture", 5000, () => captures(service).length > 0);
      Deno.kill(webApp, "SIGTERM");
      await until("the end of both", 4000, () => !isWebApp(webApp) && captures(service).length === 0);
    } finally {
      Deno.kill(display, "SIGCONT");
    }
  } finally {
    await service.stop();
  }
});

Deno.test("recreate begins with an empty profile; auto-reload restarts nothing else", async (t) => {
  const service = await startService();
  const call = async (verb: string, body?: unknown) => {
    const answer = await service.api("POST", `/api/streams/page/${verb}`, body);
    return { status: answer.status, body: await answer.json() };
  };
  try {
    await service.create({ name: "Page" });
    await untilPageShown(service, "page", 0, 20_000);
    const channel = async () =>
      await Promise.all(
        ["display", "wm", "browser", "encoder"].map((kind) => service.programPid(`${kind}-page`)),
      );

    await t.step("auto-reload on, changed and off: its helper alone starts, restarts and ends", async () => {
      const before = await channel();
      const on = await call("autoreload", { autoReload: true });
      assert.deepEqual([on.status, on.body.autoReload, on.body.id], [200, true, "page"]);
      const first = await service.programPid("autoreload-page");
      const changed = await call("autoreload", { autoReloadInterval: 0.1 });
      assert.deepEqual([changed.body.autoReload, changed.body.autoReloadInterval], [true, 0.1]);
      const second = await service.programPid("autoreload-page");
      assert.notEqual(second, first);
      const log = join(service.dataDir, "logs/page/autoreload.log");
      await until("a reload", 12_000, async () => (await Deno.readTextFile(log)).includes("page reloaded"));
      assert.equal((await call("autoreload", { autoReload: true })).status, 200);
      assert.equal(await service.programPid("autoreload-page"), second, "nothing changed");
      assert.equal((await call("autoreload", { autoReload: false })).body.autoReload, false);
      await assert.rejects(service.programPid("autoreload-page"));
      assert.deepEqual(await channel(), before);
    });

    await t.step("anything else than its two fields is refused", async () => {
      for (
        const body of [{}, { url: "https://example.org/" }, { autoReload: "maybe" }, {
          autoReloadInterval: 0,
        }]
      ) {
        const { status, body: { error } } = await call("autoreload", body);
        assert.equal(status, 400, JSON.stringify(body));
        assert.ok(Object.keys(error.fields).length > 0);
      }
      const stored = await service.api("GET", "/api/streams/page").then((r) => r.json());
      assert.deepEqual([stored.autoReloadInterval, stored.url], [0.1, service.pageUrl]);
    });

    await t.step("recreate clears the profile, and the stream is on air again", async () => {
      const before = await channel();
      const marker = join(service.dataDir, "profiles/page/Default/Login-of-yesterday");
      await Deno.writeTextFile(marker, "x");
      const { status, body } = await call("recreate");
      assert.deepEqual([status, body.id], [200, "page"]);
      await assert.rejects(Deno.stat(marker));
      await untilPageShown(service, "page", 0, 20_000);
      await Deno.stat(join(marker, "..")); // a new one
      const after = await channel();
      after.forEach((pid, at) => assert.notEqual(pid, before[at]));
    });

    await t.step("a stopped stream stays stopped", async () => {
      assert.equal((await call("stop")).status, 200);
      assert.deepEqual((await call("recreate")).body.state, "stopped");
      await assert.rejects(Deno.stat(join(service.dataDir, "profiles/page")));
      assert.equal((await call("autoreload", { autoReload: true })).body.autoReload, true);
      await assert.rejects(service.programPid("autoreload-page"));
      assert.equal((await call("start")).status, 200);
      assert.ok(await service.programPid("autoreload-page"));
    });
  } finally {
    await service.stop();
  }
});
