import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { StreamStatus } from "../../lib/streams/status.ts";
import { processesOfRun } from "../../lib/system/orphans.ts";
import { playlistUrl, untilPageShown } from "../support/channel.ts";
import { fetchPlaylist } from "../support/media.ts";
import { pause, startService, type TestService, until } from "../support/service.ts";

function pidsOf({ programs }: StreamStatus): Record<string, number> {
  return Object.fromEntries(programs.filter(({ pid }) => pid).map(({ name, pid }) => [name, pid]));
}

/** The words of a program's command line; Chromium rewrites its own with blanks. */
async function command(service: TestService, name: string): Promise<string[]> {
  return (await Deno.readTextFile(`/proc/${await service.programPid(name)}/cmdline`)).split(/[\0 ]/);
}

Deno.test("streams live side by side and do not touch each other", async (t) => {
  const service = await startService();
  const state = async (id: string) => (await service.status(id)).state;
  try {
    await service.create({ name: "A" });
    await until("A to run", 15_000, async () => await state("a") === "running");
    const before = pidsOf(await service.status("a"));

    await t.step("adding, changing and deleting B restarts nothing of A", async () => {
      await service.create({ name: "B" });
      await until("B to run", 15_000, async () => await state("b") === "running");
      await service.api("PATCH", "/api/streams/b", { bitrate: "800k" }).then((r) => r.body?.cancel());
      assert.deepEqual(pidsOf(await service.status("a")), before);
    });

    await t.step("they share no display, sink, profile or DevTools port", async () => {
      const shared = async (name: string) => {
        const [, display] = await command(service, `display-${name}`);
        const browser = await command(service, `browser-${name}`);
        const flag = (start: string) => browser.find((word) => word.startsWith(start));
        const encoder = await command(service, `encoder-${name}`);
        const input = encoder.find((word) => word.endsWith(".monitor"));
        return [display, flag("--user-data-dir="), flag("--remote-debugging-port="), input];
      };
      const [a, b] = [await shared("a"), await shared("b")];
      a.forEach((value, at) => {
        assert.ok(value, `value ${at} is missing: ${a}`);
        assert.notEqual(value, b[at]);
      });
    });

    await t.step("a change restarts only the programs that need it", async () => {
      await until("B to run", 15_000, async () => await state("b") === "running");
      const old = pidsOf(await service.status("b"));
      await service.api("PATCH", "/api/streams/b", { name: "Bee" }).then((r) => r.body?.cancel());
      assert.deepEqual(pidsOf(await service.status("b")), old, "a new name restarts nothing");
      await service.api("PATCH", "/api/streams/b", { bitrate: "900k" }).then((r) => r.body?.cancel());
      const now = pidsOf(await service.status("b"));
      assert.equal(now["browser-b"], old["browser-b"]);
      assert.equal(now["display-b"], old["display-b"]);
      assert.notEqual(now["encoder-b"], old["encoder-b"]);
      assert.ok((await command(service, "encoder-b")).includes("900k"));
    });

    await t.step("a double start is one start; stop and start at once end as asked last", async () => {
      const old = pidsOf(await service.status("b"));
      const answers = await Promise.all([1, 2, 3].map(() => service.api("POST", "/api/streams/b/start")));
      for (const answer of answers) {
        assert.equal(answer.status, 200);
        await answer.body?.cancel();
      }
      assert.deepEqual(pidsOf(await service.status("b")), old);
      const calls = ["stop", "start", "stop"].map((verb) => service.api("POST", `/api/streams/b/${verb}`));
      for (const answer of await Promise.all(calls)) await answer.body?.cancel();
      assert.deepEqual(pidsOf(await service.status("b")), {});
      assert.equal(await state("b"), "stopped");
    });

    await t.step("different streams are worked on side by side", async () => {
      const started = performance.now();
      const both = [
        service.api("POST", "/api/streams/a/restart"),
        service.api("POST", "/api/streams/b/start"),
      ];
      const ends = await Promise.all(both.map(async (call) => {
        await (await call).body?.cancel();
        return performance.now() - started;
      }));
      const alone = Math.max(...ends);
      assert.ok(alone < ends[0] + ends[1], `one waited for the other: ${ends}`);
    });

    await t.step("auto-reload reloads the page and ends without a wait", async () => {
      await service.api("PATCH", "/api/streams/b", { autoReload: true, autoReloadInterval: 0.1 })
        .then((r) => r.body?.cancel());
      await service.programPid("autoreload-b");
      const log = join(service.dataDir, "logs/b/autoreload.log");
      await until("a reload", 12_000, async () => (await Deno.readTextFile(log)).includes("page reloaded"));
      const from = performance.now();
      await service.api("PATCH", "/api/streams/b", { autoReload: false }).then((r) => r.body?.cancel());
      assert.ok(performance.now() - from < 5000);
      await assert.rejects(service.programPid("autoreload-b"));
    });

    await t.step("autologin fills in the page's form", async () => {
      const fields = { name: "Login", url: `${service.pageUrl}login.html`, user: "ops", pass: "s3cret&'\"" };
      await service.create(fields);
      const log = join(service.dataDir, "logs/login/autologin.log");
      await until(
        "the login",
        20_000,
        async () => (await Deno.readTextFile(log).catch(() => "")).includes("sent"),
      );
      const { devtoolsPort } = JSON.parse(
        await Deno.readTextFile(join(service.runDir, "streams/login.json")),
      );
      await until("the page behind the login", 5000, async () => {
        const targets = await (await fetch(`http://127.0.0.1:${devtoolsPort}/json/list`)).json();
        return targets.some(({ title }: { title: string }) => title === "welcome ops");
      });
      await service.api("DELETE", "/api/streams/login");
    });

    await t.step("delete removes config, profile, HLS files, logs and the record", async () => {
      const traces = [
        join(service.dataDir, "config/streams/b.conf"),
        join(service.dataDir, "profiles/b"),
        join(service.dataDir, "logs/b"),
        join(service.runDir, "hls/live/b"),
        join(service.runDir, "streams/b.json"),
      ];
      await until("B to run", 15_000, async () => await state("b") === "running");
      for (const trace of traces) await Deno.stat(trace);
      const token = await Deno.readTextFile(join(service.runDir, "tokens"));
      assert.match(token, /^[0-9a-f]{32}: unix_socket:.*\/b\.sock$/m);
      assert.equal((await service.api("DELETE", "/api/streams/b")).status, 204);
      for (const trace of traces) await assert.rejects(Deno.stat(trace), trace);
      assert.ok(!(await Deno.readTextFile(join(service.runDir, "tokens"))).includes("/b.sock"));
      const gone = await service.api("GET", "/api/streams/b");
      assert.equal(gone.status, 404);
      assert.match((await gone.json()).error.message, /no stream "b"/);
      assert.equal(await fetchPlaylist(playlistUrl(service, "b")), null);
    });
  } finally {
    await service.stop();
  }
});

Deno.test("bad requests get clear errors and change nothing", async (t) => {
  const service = await startService();
  const listed = async () => await (await service.api("GET", "/api/streams")).json();
  try {
    await t.step("fields are named with their problem", async () => {
      const answer = await service.api("POST", "/api/streams", {
        name: "",
        url: "file:///etc/passwd",
        fps: 90,
      });
      assert.equal(answer.status, 400);
      const { error } = await answer.json();
      assert.deepEqual(Object.keys(error.fields).sort(), ["fps", "name", "url"]);
      assert.match(error.fields.url, /http and https.*Example/);
    });
    await t.step("another site's page, a form and broken JSON are refused", async () => {
      const body = JSON.stringify({ name: "Evil", url: service.pageUrl });
      const json = { "content-type": "application/json" };
      const post = async (headers: Record<string, string>, text = body) => {
        const answer = await fetch(`${service.url}/api/streams`, { method: "POST", headers, body: text });
        const { error } = await answer.json();
        assert.ok(error.message.length > 10);
        return answer.status;
      };
      assert.equal(await post({ ...json, origin: service.pageUrl.slice(0, -1) }), 403);
      assert.equal(await post({ ...json, origin: "null" }), 403);
      assert.equal(await post({ ...json, "sec-fetch-site": "cross-site" }), 403);
      assert.equal(await post({ "content-type": "text/plain" }), 415);
      assert.equal(await post(json, "{"), 400);
      assert.equal(await post(json, " ".repeat(300_000)), 413);
    });
    await t.step("ids that try to be something else find nothing", async () => {
      for (const id of ["__proto__", "..%2f..%2fetc", "%2e%2e", "a%00b", "--help", "constructor"]) {
        const answer = await service.api("DELETE", `/api/streams/${id}`);
        assert.ok([400, 404].includes(answer.status), `${id}: ${answer.status}`);
        await answer.body?.cancel();
      }
    });
    assert.deepEqual(await listed(), []);

    await t.step("hostile texts stay data", async () => {
      const name = '%(ENV_HOME)s"; [program:x]\n$(touch /tmp/pwned) <script>';
      const stream = await service.create({ name, url: `${service.pageUrl}?--no-sandbox&$(id)&%20"'%0a` });
      await untilPageShown(service, stream.id, 0, 15_000);
      const config = await Deno.readTextFile(join(service.dataDir, "config/streams", `${stream.id}.conf`));
      assert.ok(!/ENV_HOME|\$\(|%\(|no-sandbox|program:x/.test(config), config);
      await assert.rejects(Deno.stat("/tmp/pwned"));
      const player = await (await service.api("GET", `/player/${stream.id}.html`)).text();
      assert.ok(!player.includes("<script> ") && player.includes("&lt;script&gt;"));
      await service.api("DELETE", `/api/streams/${stream.id}`);
    });

    await t.step("the media server is down: 502 with Retry-After within 2 s, and it comes back", async () => {
      const nginx = processesOfRun(service.runDir).filter((pid) =>
        Deno.readTextFileSync(`/proc/${pid}/cmdline`).startsWith("nginx: ")
      );
      nginx.forEach((pid) => Deno.kill(pid, "SIGSTOP"));
      const from = performance.now();
      const answer = await service.api("GET", "/api/hls/live/x/index.m3u8");
      assert.equal(answer.status, 502);
      assert.ok(answer.headers.get("retry-after"));
      assert.ok(performance.now() - from < 2500);
      await answer.body?.cancel();
      nginx.forEach((pid) => Deno.kill(pid, "SIGCONT"));
    });
  } finally {
    await service.stop();
  }
});

Deno.test("20 create and delete cycles leave processes, descriptors and files as they were", async () => {
  const service = await startService();
  // fontconfig and the like keep caches in the pipeline's home, shared by all streams; they fill up at their own pace
  const filesIn = (folder: string): string[] =>
    [...Deno.readDirSync(folder)].filter(({ name }) => name !== ".cache").flatMap(({ name, isDirectory }) =>
      isDirectory ? filesIn(join(folder, name)) : [join(folder, name)]
    );
  const count = () => {
    const pids = processesOfRun(service.runDir);
    const descriptors = pids.reduce((sum, pid) => {
      try {
        return sum + [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
      } catch {
        return sum; // a process that has just ended
      }
    }, 0);
    const locks = [...Deno.readDirSync("/tmp")].filter(({ name }) => name.startsWith(".X")).length;
    return {
      processes: pids.length,
      descriptors,
      files: [...filesIn(service.dataDir), ...filesIn(service.runDir)],
      locks,
    };
  };
  const cycle = async (number: number) => {
    const { id } = await service.create({ name: `Cycle ${number}`, fps: 5 });
    assert.equal((await service.api("DELETE", `/api/streams/${id}`)).status, 204);
  };
  try {
    // one that lives long enough for logs and settings that stay to be made
    const { id } = await service.create({ name: "First" });
    await until("the first to run", 15_000, async () => (await service.status(id)).state === "running");
    await pause(3000);
    assert.equal((await service.api("DELETE", `/api/streams/${id}`)).status, 204);
    await pause(1500);
    const before = count();
    for (let number = 1; number <= 20; number++) await cycle(number);
    const isBack = (now: typeof before) =>
      now.processes <= before.processes && now.descriptors <= before.descriptors + 4 &&
      now.files.length <= before.files.length + 1 && now.locks <= before.locks;
    // the media server's own cleaner takes up to half a minute for what came after a stop
    await until("the counts to return", 40_000, () => isBack(count())).catch(() => {
      assert.deepEqual(count(), before);
    });
  } finally {
    await service.stop();
  }
});
