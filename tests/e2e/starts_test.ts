/** How the service comes up, refuses to, and ends. */
import { strict as assert } from "node:assert";
import { basename, join } from "node:path";
import { CHECKS } from "../../lib/run/doctor.ts";
import { killOrphans, processesOfRun } from "../../lib/machine/os/orphans.ts";
import { run, type RunResult } from "../../lib/machine/os/process.ts";
import { findUser } from "../../lib/machine/os/users.ts";
import { DEFAULT_TIMINGS } from "../../lib/timings.ts";
import { newestFrame, untilPageShown } from "../support/channel.ts";
import { isThere } from "../support/fixture.ts";
import { isColour, pixel } from "../support/media.ts";
import { servePages } from "../support/page.ts";
import { RemoteBrowser } from "../support/remote_browser.ts";
import { serveSignedInPage } from "../support/signed_in_page.ts";
import { same, until } from "../support/same.ts";
import {
  isHealthy,
  makeDataDir,
  ownEnvironment,
  sharedService,
  SMALL,
  SOURCE_PROGRAM,
  startService,
  type TestService,
} from "../support/service.ts";
import { inSoak } from "../support/soak.ts";
import { GREEN, zooServer } from "../support/zoo.ts";

const serviceTest = sharedService();

/** Runs `up` where it is expected to end by itself. */
async function failingStart(env: Record<string, string>): Promise<RunResult> {
  const result = await run([...SOURCE_PROGRAM, "up"], { timeoutMs: 15_000, env, cwd: "/" });
  assert.equal(result.code, 1, result.stdout);
  return result;
}

/** A start that fails before there is anything to leave. @param prepare may change data and settings. */
async function refusedStart(
  options: Parameters<typeof ownEnvironment>[0],
  prepare?: (env: Record<string, string>) => Promise<void>,
): Promise<{ stderr: string; env: Record<string, string> }> {
  await using environment = await ownEnvironment(options);
  const { env } = environment;
  await prepare?.(env);
  const { stderr } = await failingStart(env);
  assert.deepEqual(processesOfRun(env.RUN_DIR), [], "something was started");
  assert.ok(!await isThere(env.RUN_DIR), "the run directory is left");
  return { stderr, env };
}

Deno.test("a taken port stops the start with port, owner and what to do, after what the machine lacks", async () => {
  const disk = { ...DEFAULT_TIMINGS.disk, leastFreeMb: 1e12, leastFreePercent: 100 };
  await using environment = await ownEnvironment({ timings: { disk } });
  const { env } = environment;
  using taken = Deno.listen({ hostname: "127.0.0.1", port: Number(env.MEDIA_PORT) });
  const { stderr } = await failingStart(env);
  assert.match(
    stderr,
    new RegExp(`Port ${taken.addr.port} is taken by deno.* \\(pid ${Deno.pid}\\).*MEDIA_PORT=`),
  );
  assert.match(stderr, /^WARNING: The disk of DATA_DIR is nearly full: .* are free/m);
  assert.equal(stderr.match(/WARNING/g)?.length, 1, "what is well is not mentioned");
  assert.ok(!await isThere(env.RUN_DIR), "the run directory is left");
});

Deno.test("a bad setting stops the start with its name and an example", async () => {
  const { stderr } = await refusedStart({ env: { PORT: "70000", DEFAULT_PURE_MODE: "maybe" } });
  assert.match(stderr, /PORT="70000" is not valid. Example: PORT=3000/);
  assert.match(stderr, /DEFAULT_PURE_MODE="maybe" is not valid/);
});

Deno.test("an unreadable stream list is kept aside and stops the start", async () => {
  const dataDir = await makeDataDir();
  const folder = join(dataDir, "streams");
  await Deno.mkdir(folder);
  const broken = '[{"id":"a","name":"A","url":"http://127.0.0.1/"';
  await Deno.writeTextFile(join(folder, "streams.json"), broken);
  const { stderr } = await refusedStart({ dataDir });
  assert.match(stderr, /cannot be read: it is not valid JSON.*\n.*copy is kept as/);
  assert.equal(await Deno.readTextFile(join(folder, "streams.json")), broken);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  const copies = names.filter((name) => name.startsWith("streams.json.unreadable-2"));
  assert.equal(copies.length, 1);
  assert.equal(await Deno.readTextFile(join(folder, copies[0])), broken);
  await Deno.remove(dataDir, { recursive: true });
});

/** Runs a command of an operator beside the service, with its settings. */
async function operate({ env }: TestService, ...args: string[]): Promise<RunResult> {
  return await run([...SOURCE_PROGRAM, ...args], { timeoutMs: 60_000, env, cwd: "/" });
}

interface Check {
  name: string;
  state: string;
  says: string;
}

inSoak(serviceTest)(
  "while it runs: doctor finds nothing wrong, a backup is made, and a restore is refused",
  async (service) => {
    await service.create({ name: "Saved", desiredState: "stopped" });
    const doctor = await operate(service, "doctor", "--json");
    const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(doctor.stdout);
    assert.deepEqual(checks.filter(({ state }) => state === "problem"), []);
    assert.deepEqual([ok, doctor.code], [true, 0]);
    const says = Object.fromEntries(checks.map(({ name, says }) => [name, says]));
    assert.deepEqual(checks.map(({ name }) => name), Object.keys(CHECKS));
    assert.match(says.browser, /and shows its page$/);
    assert.match(says.ports, /in use by the service/);
    assert.match(says.service, new RegExp(`pid ${service.pid} answers`));
    assert.match(says.streams, /\d+ stopped/);

    const file = join(service.dataDir, "backup.tar.gz");
    const backup = await operate(service, "backup", file);
    assert.equal(backup.code, 0, backup.stderr);
    const list = await run(["tar", "-xzOf", file, "streams/streams.json"], { timeoutMs: 9000 });
    assert.match(list.stdout, /"id": "saved"/);
    const running = new RegExp(`already runs with this DATA_DIR .*\\(pid ${service.pid}\\)\\. Stop it first`);
    for (const args of [["restore", file], ["backup", file, "--profiles"]]) {
      const { code, stderr } = await operate(service, ...args);
      assert.equal(code, 1, args.join(" "));
      assert.match(stderr, running);
    }
    assert.equal((await service.api("GET", "/api/streams/saved")).status, 200);
  },
);

Deno.test("doctor that is interrupted leaves nothing of what it tries", async () => {
  await using environment = await ownEnvironment();
  const folders = () => new Set([...Deno.readDirSync("/tmp")].map(({ name }) => `/tmp/${name}`));
  const before = folders();
  const [program, ...args] = [...SOURCE_PROGRAM, "doctor"];
  const options = { args, env: environment.env, stdin: "null", stdout: "null", stderr: "null" } as const;
  const doctor = new Deno.Command(program, options).spawn();
  let folder: string | undefined;
  await until("it to try something", () => {
    folder = [...folders().difference(before)].find((path) => path.startsWith("/tmp/browser-stream-doctor-"));
    return folder !== undefined && processesOfRun(folder).length > 0;
  });
  doctor.kill("SIGINT");
  assert.equal((await doctor.status).code, 130);
  assert.deepEqual(processesOfRun(folder!), []);
  assert.ok(!await isThere(folder!));
});

inSoak(Deno.test)(
  "what a page stored just before a stop, a change or the service's end is there afterwards",
  async () => {
    await using environment = await ownEnvironment();
    await using page = serveSignedInPage();
    const visits = (count: number) => until(`visit ${count}`, () => page.stored.includes(`visit=${count}`));
    const first = await startService({ environment });
    try {
      await first.create({ name: "Known", url: page.url });
      await visits(1);
      await first.api("POST", "/api/streams/known/stop");
      await first.api("POST", "/api/streams/known/start");
      await visits(2);
      await first.api("PATCH", "/api/streams/known", { resolution: "1024x768" });
      await visits(3);
    } finally {
      await first.stop();
    }
    const second = await startService({ environment });
    await visits(4).finally(() => second.stop());
    assert.deepEqual(page.cookies, ["", "visit=1", "visit=2", "visit=3"]);
  },
);

inSoak(Deno.test)("kill -9 of `up` alone ends everything below it", async () => {
  const service = await startService();
  await service.create({ name: "Orphan" });
  Deno.kill(service.pid, "SIGKILL");
  await until("all to be gone", () => processesOfRun(service.runDir).length === 0);
  await Deno.remove(service.runDir, { recursive: true });
  await service.stop();
});

/** Waits until the first stream has its display, and no browser yet: in the middle of a start. */
async function untilHalf(service: TestService): Promise<void> {
  await until("a display", () => service.processes(/^\S*Xvnc /).length > 0);
}

Deno.test(
  "a second start is refused; SIGTERM in the middle of a create stops within 10 s and leaves nothing",
  async () => {
    const service = await startService();
    await same(
      () => service.output(),
      /There is no login: everyone who reaches this address can use it\. .*AUTH_USER/s,
    );
    const running = new RegExp(`already runs with this DATA_DIR or RUN_DIR \\(pid ${service.pid}\\)`);
    assert.match((await refusedStart({ dataDir: service.dataDir })).stderr, running);
    {
      await using environment = await ownEnvironment();
      assert.match((await failingStart({ ...environment.env, RUN_DIR: service.runDir })).stderr, running);
    }
    assert.equal((await service.api("GET", "/api/streams")).status, 200);
    const create = service.create({ name: "Half" }).catch(() => null);
    await untilHalf(service);
    await service.stop();
    await create;
  },
);

inSoak(Deno.test)("the end of what started it (npx, deno task) ends the service", async () => {
  await using environment = await ownEnvironment();
  const { env } = environment;
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
  await until("the service to answer", () => isHealthy(`http://127.0.0.1:${env.PORT}`));
  node.kill("SIGTERM");
  await node.status;
  try {
    await until("all to be gone", () => processesOfRun(env.RUN_DIR).length === 0);
    await until("the run directory to be gone", async () => !await isThere(env.RUN_DIR));
  } finally {
    await killOrphans(env.RUN_DIR, 1000);
  }
});

inSoak(Deno.test)({
  name:
    "as root with a data directory that only root reaches, profiles go to /var/lib/browser-stream [needs root]",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    const locked = await Deno.makeTempDir({ prefix: "bs-locked-" });
    // the program as well: neither the web app's user nor a stream's can read it
    const bundle = new URL("../../_fresh", import.meta.url).pathname;
    assert.equal((await run(["cp", "-r", bundle, locked], { timeoutMs: 9000 })).code, 0);
    const program = [...SOURCE_PROGRAM.slice(0, -1), join(locked, "_fresh/browser-stream.js")];
    const env = { CAPTURE: "x11grab" };
    const options = { dataDir: join(locked, "data"), program, env };
    // small: each picture is taken and converted whole, beside other tests
    const service = await startService({ ...options, streams: SMALL });
    const elsewhere = /profiles are kept in (\S+)/.exec(service.output())![1];
    try {
      const { id } = await service.create({ name: "Root" });
      await untilPageShown(service, id, 0);
      assert.ok(await isThere(join(elsewhere, "profiles", id)));
      const said = await Deno.readTextFile(join(locked, "data/logs", id, "encoder.log"));
      assert.match(said, /takes every picture itself, as CAPTURE says/);
      assert.deepEqual(service.processes(/ capture$/), []);
      const board = await (await service.api("GET", "/")).text();
      const style = /href="(\/[^"]+\.css[^"]*)"/.exec(board)![1];
      assert.equal((await service.api("GET", style)).status, 200);
      assert.match(await Deno.readTextFile(join(locked, "data/streams/streams.json")), /"root"/);
    } finally {
      await service.stop();
      await Deno.remove(elsewhere, { recursive: true });
      await Deno.remove(locked, { recursive: true });
    }
  },
});

inSoak(Deno.test)({
  name: "the web app is WEB_USER, and the data go with it, also back to a number [needs root]",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    const { uid, gid } = (await findUser("games"))!;
    assert.notEqual(uid, gid, "its group has a number of its own");
    await using pages = servePages();
    const dataDir = await makeDataDir();
    const webUser = async (env: Record<string, string>) => {
      const startedAt = Date.now();
      const service = await startService({ dataDir, env });
      try {
        const streams = await (await service.api("GET", "/api/streams")).json();
        const { id } = streams[0] ?? await service.create({ name: "Kept", url: pages.url });
        await untilPageShown(service, id, 0);
        await service.api("POST", `/api/streams/${id}/thumb`);
        await until("a new thumbnail", async () => {
          const { headers } = await service.api("GET", `/api/streams/${id}/thumb`);
          return Date.parse(headers.get("last-modified") ?? "") >= startedAt;
        });
        const status = await Deno.readTextFile(`/proc/${service.processes(/ serve$/)[0]}/status`);
        const { uid, gid } = Deno.lstatSync(join(dataDir, "streams/streams.json"));
        assert.match(status, new RegExp(`^Uid:\\s+${uid}\\s.*\nGid:\\s+${gid}\\s`, "m"));
        return [uid, gid];
      } finally {
        await service.stop();
      }
    };
    try {
      const [first] = await webUser({});
      assert.ok(first! >= 60_600);
      assert.deepEqual(await webUser({ WEB_USER: "games" }), [uid, gid]);
      assert.ok((await webUser({}))[0]! >= 60_600);
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});

Deno.test({
  name: "WEB_USER=root stops the start [needs root]",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    const { stderr } = await refusedStart({ env: { WEB_USER: "root" } });
    assert.match(stderr, /WEB_USER: root is root/);
  },
});

Deno.test({
  name: "as a normal user it works the same [needs root]",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    const user = (await findUser("nobody"))!;
    const become = ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--"];
    const dataDir = await makeDataDir();
    await Deno.chown(dataDir, user.uid, user.gid);
    const copy = await makeDataDir(); // the checkout, and a Deno of npx's, may be out of the user's reach
    const bundle = new URL("../../_fresh", import.meta.url).pathname;
    assert.equal((await run(["cp", "-r", bundle, Deno.execPath(), copy], { timeoutMs: 9000 })).code, 0);
    const program = [join(copy, basename(Deno.execPath())), ...SOURCE_PROGRAM.slice(1, -1)];
    const service = await startService({
      dataDir,
      program: [...become, ...program, join(copy, "_fresh/browser-stream.js")],
      env: { HOME: dataDir, DENO_DIR: join(dataDir, "deno") },
      streams: SMALL,
    });
    try {
      const { id } = await service.create({ name: "Nobody" });
      await untilPageShown(service, id, 0);
      const status = await Deno.readTextFile(`/proc/${await service.programPid(`browser-${id}`)}/status`);
      assert.match(status, new RegExp(`^Uid:\\s+${user.uid}\\s`, "m"));
      assert.match(service.output(), /The web app and all streams run as that user/);
      const said = await Deno.readTextFile(join(dataDir, "logs", id, "encoder.log"));
      assert.match(said, /pictures are taken of what changes/);
      // the kernel does not judge what a page sends by it
      assert.equal(await new RemoteBrowser(service, id).evaluate("typeof RTCPeerConnection"), "undefined");
      // no policy holds here, which lets the viewer of PDFs in
      await using server = zooServer();
      server.show("pdf");
      assert.ok((await service.api("PATCH", `/api/streams/${id}`, { url: server.url })).ok);
      await until("the PDF on the air", async () => {
        const frame = await newestFrame(service, id);
        return frame && isColour(pixel(frame, 640, 360), [...GREEN]);
      });
    } finally {
      await service.stop();
      for (const folder of [dataDir, copy]) await Deno.remove(folder, { recursive: true });
    }
  },
});

inSoak(Deno.test)({
  name: "as a normal user on data that root has used, the start says how to take it back [needs root]",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    await using environment = await ownEnvironment();
    const { env } = environment;
    await Deno.mkdir(join(env.DATA_DIR, "streams"));
    await Deno.chown(join(env.DATA_DIR, "streams"), 60_600, 60_600);
    await Deno.chown(env.DATA_DIR, 65_534, 65_534);
    const become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
    const { code, stderr } = await run([...become, ...SOURCE_PROGRAM, "up"], {
      timeoutMs: 15_000,
      env: { ...env, HOME: env.DATA_DIR },
      cwd: "/",
    });
    assert.equal(code, 1);
    assert.match(stderr, /streams belongs to user 60600: .*\n.*\n\n {2}sudo chown -R -P -h 65534:65534 \S+/);
    assert.ok(!await isThere(env.RUN_DIR));
  },
});

/** What the first build (commit 2e34abd) has written; {data} and {page} stand for what was there. */
const FIRST_BUILD = new URL("../fixtures/first-build-volume/", import.meta.url).pathname;

/** A data directory as the first build has left it, with a stream whose list entry somebody removed. */
async function firstBuildsData(dataDir: string, page: string): Promise<void> {
  const copied = await run(["cp", "-r", `${FIRST_BUILD}.`, dataDir], { timeoutMs: 5000 });
  assert.equal(copied.code, 0, copied.stderr);
  for (const name of ["supervisord.conf", "nginx.conf", "streams/kept.conf", "streams/gone.conf"]) {
    const path = join(dataDir, "config", name);
    await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replaceAll("{data}", dataDir));
  }
  const list = join(dataDir, "streams/streams.json");
  await Deno.writeTextFile(list, (await Deno.readTextFile(list)).replace("{page}", page));
  for (const id of ["kept", "gone"]) {
    const profile = join(dataDir, "profiles", id);
    await Deno.mkdir(join(profile, "Default"), { recursive: true });
    await Deno.writeTextFile(join(profile, "Default/Of the first build"), "sign-in", { mode: 0o600 });
    await Deno.symlink("another-host-31623", join(profile, "SingletonLock"));
    await Deno.symlink("/tmp/org.chromium.Chromium.gone/SingletonSocket", join(profile, "SingletonSocket"));
  }
}

Deno.test(
  "after kill -9 of everything the first build's volume comes up: running is running, stopped is stopped",
  async () => {
    await using pages = servePages();
    await using environment = await ownEnvironment();
    const { DATA_DIR } = environment.env;
    await firstBuildsData(DATA_DIR, `${pages.url}clock.html`);
    const first = await startService({ environment, streams: SMALL });
    await untilPageShown(first, "kept", 0);
    assert.equal(
      await Deno.readTextFile(join(DATA_DIR, "profiles/kept/Default/Of the first build")),
      "sign-in",
    );
    const { token } = await (await first.api("GET", "/api/streams/kept/vnc")).json();
    assert.match(token, /^[0-9a-f]{32}$/);
    await until("what the removed stream left to be gone", async () => {
      const left = await Promise.all(
        ["config/streams/gone.conf", "profiles/gone", "logs/gone"].map((path) =>
          isThere(join(DATA_DIR, path))
        ),
      );
      return !left.includes(true);
    });
    assert.deepEqual(first.processes(/\bgone\b/), []);
    assert.deepEqual(Object.keys(await (await first.api("GET", "/api/streams/statuses")).json()), ["kept"]);
    const config = await Deno.readTextFile(join(DATA_DIR, "config/supervisord.conf"));
    assert.doesNotMatch(config, /first-build/);

    await first.create({ name: "Off", desiredState: "stopped" });
    for (const pid of [first.pid, ...processesOfRun(first.runDir)]) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch {
        // its parent's death took it along
      }
    }
    await until("all to be gone", () => processesOfRun(first.runDir).length === 0);
    assert.ok(await isThere(join(first.runDir, "streams/kept.json")), "traces should be left by a kill");

    const second = await startService({ environment });
    try {
      await untilPageShown(second, "kept", 0);
      assert.equal((await second.status("off")).state, "stopped");
    } finally {
      await second.stop();
      await first.stop(); // all of it is gone already
    }
  },
);

inSoak(Deno.test)({
  name:
    "root takes over the data of earlier versions and of a normal user, and follows no link there [needs root]",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    const OLD = 999;
    await using environment = await ownEnvironment();
    const dataDir = environment.env.DATA_DIR;
    const [streams, profile] = [join(dataDir, "streams"), join(dataDir, "profiles/old")];
    const roots = join(dataDir, "root's");
    const list = [{ id: "old", name: "Old", url: "http://127.0.0.1:9/", desiredState: "stopped" }];
    await Deno.mkdir(streams);
    await Deno.chown(streams, OLD, OLD); // and the list in it is root's
    await Deno.writeTextFile(join(streams, "streams.json"), JSON.stringify(list), { mode: 0o600 });
    await Deno.mkdir(join(profile, "Default"), { recursive: true });
    await Deno.writeTextFile(join(profile, "Default/Of yesterday"), "login", { mode: 0o600 });
    await Deno.writeTextFile(roots, "root's", { mode: 0o600 });
    await Deno.symlink(roots, join(profile, "link"));
    await Deno.symlink("/etc", join(profile, "folder"));
    await Deno.link(roots, join(profile, "Default/hard link"));
    for (const path of ["..", "", "Default", "Default/Of yesterday"]) {
      await Deno.chown(join(profile, path), OLD, OLD);
    }
    await Deno.symlink("/etc", join(dataDir, "profiles/elsewhere"));
    const service = await startService({ environment });
    try {
      await service.create({ name: "Elsewhere" });
      assert.equal((await service.api("POST", "/api/streams/old/start")).status, 200);
      const owner = (path: string) => Deno.lstatSync(path).uid!;
      const uid = owner(profile);
      assert.ok(uid >= 60_600 && uid <= 61_183, String(uid));
      assert.deepEqual(["Default", "Default/Of yesterday"].map((name) => owner(join(profile, name))), [
        uid,
        uid,
      ]);
      assert.deepEqual([owner(roots), owner("/etc"), owner("/etc/passwd")], [0, 0, 0]);
      assert.equal(owner(join(dataDir, "profiles")), 0);
      const other = Deno.lstatSync(join(dataDir, "profiles/elsewhere"));
      assert.ok(other.isDirectory && other.uid !== uid && other.uid !== 0);
      const web = owner(streams);
      assert.ok(web >= 60_600 && web !== uid);
      assert.equal(owner(join(streams, "streams.json")), web);
      assert.equal(await Deno.readTextFile(join(profile, "Default/Of yesterday")), "login");
    } finally {
      await service.stop();
    }
  },
});
