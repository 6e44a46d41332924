import { strict as assert } from "node:assert";
import { join } from "node:path";
import { killOrphans, processesOfRun } from "../../lib/system/orphans.ts";
import { run, type RunResult } from "../../lib/system/process.ts";
import { findUser } from "../../lib/system/users.ts";
import { untilPageShown } from "../support/channel.ts";
import { servePages } from "../support/page.ts";
import {
  makeDataDir,
  ownEnvironment,
  pause,
  SOURCE_PROGRAM,
  startService,
  until,
} from "../support/service.ts";

/** Runs `up` where it is expected to end by itself. */
async function failingStart(env: Record<string, string>): Promise<RunResult> {
  const result = await run([...SOURCE_PROGRAM, "up"], { timeout: 15_000, env, cwd: "/" });
  assert.equal(result.code, 1, result.stdout);
  assert.deepEqual(processesOfRun(env.RUN_DIR), [], "something was started");
  await assert.rejects(Deno.stat(env.RUN_DIR), "the run directory is left");
  return result;
}

Deno.test("a taken port stops the start with port, owner and what to do", async () => {
  const env = await ownEnvironment();
  using taken = Deno.listen({ hostname: "127.0.0.1", port: Number(env.MEDIA_PORT) });
  const { stderr } = await failingStart(env);
  assert.match(
    stderr,
    new RegExp(`Port ${taken.addr.port} is taken by deno.* \\(pid ${Deno.pid}\\).*MEDIA_PORT=`),
  );
  await Deno.remove(env.DATA_DIR, { recursive: true });
});

Deno.test("a bad setting stops the start with its name and an example", async () => {
  const env = await ownEnvironment({ env: { PORT: "70000", DEFAULT_PURE_MODE: "maybe" } });
  const { stderr } = await failingStart(env);
  assert.match(stderr, /PORT="70000" is not valid. Example: PORT=3000/);
  assert.match(stderr, /DEFAULT_PURE_MODE="maybe" is not valid/);
  await Deno.remove(env.DATA_DIR, { recursive: true });
});

Deno.test("an unreadable stream list is kept aside and stops the start", async () => {
  const env = await ownEnvironment();
  const folder = join(env.DATA_DIR, "streams");
  await Deno.mkdir(folder);
  const broken = '[{"id":"a","name":"A","url":"http://127.0.0.1/"';
  await Deno.writeTextFile(join(folder, "streams.json"), broken);
  const { stderr } = await failingStart(env);
  assert.match(stderr, /cannot be read: it is not valid JSON.*\n.*copy is kept as/);
  assert.equal(await Deno.readTextFile(join(folder, "streams.json")), broken);
  const copies = [...Deno.readDirSync(folder)].filter(({ name }) =>
    name.startsWith("streams.json.unreadable-2")
  );
  assert.equal(copies.length, 1);
  assert.equal(await Deno.readTextFile(join(folder, copies[0].name)), broken);
  await Deno.remove(env.DATA_DIR, { recursive: true });
});

Deno.test("a run directory that is not ours alone is refused and left as it is", async () => {
  const own = await Deno.makeTempDir({ dir: "/tmp", prefix: "bs" });
  await Deno.writeTextFile(join(own, "mine"), "precious");
  for (const folder of [own, "/", "/tmp", "data", "."]) {
    const env = await ownEnvironment();
    const cwd = folder.startsWith("/") ? "/" : env.DATA_DIR;
    const options = {
      timeout: 15_000,
      env: { ...env, DATA_DIR: join(env.DATA_DIR, "data"), RUN_DIR: folder },
      cwd,
    };
    const { code, stderr } = await run([...SOURCE_PROGRAM, "up"], options);
    assert.equal(code, 1, folder);
    assert.match(stderr, /RUN_DIR/, folder);
    await Deno.remove(env.DATA_DIR, { recursive: true });
  }
  assert.equal(await Deno.readTextFile(join(own, "mine")), "precious");
  await Deno.remove(own, { recursive: true });
});

Deno.test("a second start with the same data directory says who runs already", async () => {
  const service = await startService();
  try {
    const { stderr } = await failingStart(await ownEnvironment({ dataDir: service.dataDir }));
    assert.match(stderr, new RegExp(`already runs with this DATA_DIR or RUN_DIR \\(pid ${service.pid}\\)`));
    const env: Record<string, string> = { ...await ownEnvironment(), RUN_DIR: service.runDir };
    const { code } = await run([...SOURCE_PROGRAM, "up"], { timeout: 15_000, env, cwd: "/" });
    assert.equal(code, 1);
    await Deno.remove(env.DATA_DIR, { recursive: true });
    assert.equal((await service.api("GET", "/api/streams")).status, 200);
  } finally {
    await service.stop();
  }
});

Deno.test("after kill -9 of everything it comes up clean, with the older list's streams, as they were", async (t) => {
  const dataDir = await makeDataDir();
  const old = [
    { id: "first", name: "First", url: "http://127.0.0.1:9/", desiredState: "stopped", colour: "green" },
    {
      id: "second",
      name: "Second",
      url: "http://127.0.0.1:9/",
      delay: "0s",
      desiredState: "running",
      order: 0,
    },
  ];
  await Deno.writeTextFile(join(dataDir, "streams.json"), JSON.stringify(old));
  const first = await startService({ dataDir });

  await t.step("the older location is migrated, orders are given, unknown fields stay", async () => {
    const list = await (await first.api("GET", "/api/streams")).json();
    assert.deepEqual(list.map(({ id }: { id: string }) => id), ["second", "first"]);
    await first.api("PATCH", "/api/streams/second", { url: first.pageUrl }).then((r) => r.body?.cancel());
    const stored = JSON.parse(await Deno.readTextFile(join(dataDir, "streams/streams.json")));
    assert.equal(stored.find(({ id }: { id: string }) => id === "first").colour, "green");
  });

  await t.step("kill -9 of everything, in no order", async () => {
    await until("the stream to run", 15_000, async () => (await first.status("second")).state === "running");
    for (const pid of [first.pid, ...processesOfRun(first.runDir)]) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch {
        // its parent's death took it along
      }
    }
    await until("all to be gone", 5000, () => processesOfRun(first.runDir).length === 0);
    assert.ok(await Deno.stat(join(first.runDir, "streams/second.json")), "traces should be left by a kill");
  });

  await t.step("the same start again: running is running, stopped is stopped", async () => {
    await using pages = servePages();
    const file = join(dataDir, "streams/streams.json");
    const list = JSON.parse(await Deno.readTextFile(file));
    list.find(({ id }: { id: string }) => id === "second").url = pages.url;
    await Deno.writeTextFile(file, JSON.stringify(list));
    const env = { ...first.env };
    const second = await startService({ dataDir, env });
    try {
      await untilPageShown(second, "second", 0, 20_000);
      assert.equal((await second.status("first")).state, "stopped");
    } finally {
      await second.stop();
    }
  });
  await first.stop().catch(() => {});
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("kill -9 of `up` alone ends everything below it", async () => {
  const service = await startService();
  await service.create({ name: "Orphan" });
  Deno.kill(service.pid, "SIGKILL");
  await until("all to be gone", 20_000, () => processesOfRun(service.runDir).length === 0);
  await Deno.remove(service.runDir, { recursive: true });
  await service.stop();
});

Deno.test("SIGTERM in the middle of a create stops within 10 s and leaves nothing", async () => {
  const service = await startService();
  const creates = [1, 2, 3].map((number) => service.create({ name: `Half ${number}` }).catch(() => null));
  await pause(700);
  const took = await service.stop();
  assert.ok(took < 10_000, `${took} ms`);
  await Promise.all(creates);
  const locks = [...Deno.readDirSync("/tmp")].map(({ name }) => name);
  const base = Number(service.env.DISPLAY_BASE);
  for (const number of [1, 2, 3]) assert.ok(!locks.includes(`.X${base + number}-lock`), "an X lock is left");
});

Deno.test("the end of what started it (npx, deno task) ends the service", async () => {
  const env = await ownEnvironment();
  // as `npx deno task start` does: a node that does not pass SIGTERM on
  const script =
    'require("node:child_process").spawnSync(process.argv[1], process.argv.slice(2), { stdio: "inherit" })';
  const node = new Deno.Command("node", {
    args: ["-e", script, ...SOURCE_PROGRAM, "up", "task"],
    env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await until("the service to answer", 20_000, async () => {
    const answer = await fetch(`http://127.0.0.1:${env.PORT}/healthz`).catch(() => null);
    await answer?.body?.cancel();
    return answer?.ok;
  });
  node.kill("SIGTERM");
  await node.status;
  try {
    await until("all to be gone", 12_000, () => processesOfRun(env.RUN_DIR).length === 0);
    await until(
      "the run directory to be gone",
      3000,
      () => Deno.stat(env.RUN_DIR).then(() => false, () => true),
    );
  } finally {
    await killOrphans(env.RUN_DIR, 1000);
    await Deno.remove(env.DATA_DIR, { recursive: true });
  }
});

Deno.test({
  name: "as a normal user, and as root with an unreachable data directory, it works the same",
  ignore: Deno.uid() !== 0,
  fn: async (t) => {
    await t.step(
      "DATA_DIR below a folder of root alone: profiles go to /var/lib/browser-stream",
      async () => {
        const locked = await Deno.makeTempDir({ prefix: "browser-stream-locked-" });
        const dataDir = join(locked, "data");
        const service = await startService({ dataDir });
        const elsewhere = /profiles are kept in (\S+)/.exec(service.output())![1];
        try {
          const { id } = await service.create({ name: "Root" });
          await untilPageShown(service, id, 0, 15_000);
          await Deno.stat(join(elsewhere, "profiles", id));
        } finally {
          await service.stop();
          await Deno.remove(elsewhere, { recursive: true });
          await Deno.remove(locked, { recursive: true });
        }
      },
    );

    await t.step("as a normal user", async () => {
      const user = (await findUser("nobody"))!;
      const dataDir = await makeDataDir();
      await Deno.chown(dataDir, user.uid, user.gid);
      const become = ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--"];
      const copy = await Deno.makeTempDir({ prefix: "browser-stream-copy-" });
      await Deno.chmod(copy, 0o755);
      assert.equal(
        (await run(["cp", "-r", new URL("../../_fresh", import.meta.url).pathname, copy], { timeout: 9000 }))
          .code,
        0,
      );
      const program = [...become, ...SOURCE_PROGRAM.slice(0, -1), join(copy, "_fresh/browser-stream.js")];
      const service = await startService({
        dataDir,
        program,
        env: { HOME: dataDir, DENO_DIR: join(dataDir, "deno") },
      });
      try {
        const { id } = await service.create({ name: "Nobody" });
        await untilPageShown(service, id, 0, 15_000);
        const status = await Deno.readTextFile(`/proc/${await service.programPid(`browser-${id}`)}/status`);
        assert.match(status, new RegExp(`^Uid:\\s+${user.uid}\\s`, "m"));
      } finally {
        await service.stop();
        await Deno.remove(dataDir, { recursive: true });
        await Deno.remove(copy, { recursive: true });
      }
    });
  },
});
