import assert from "node:assert/strict";
import { checkProxies } from "../../../lib/run/checks/proxy.ts";
import { checkPorts, runningPid } from "../../../lib/run/checks/running.ts";
import { Trial } from "../../../lib/run/checks/trial.ts";
import { checkDisplay } from "../../../lib/run/checks/picture.ts";
import { parseConfig } from "../../../lib/config.ts";
import { displayKeymap } from "../../../lib/display/display.ts";
import { isRoot } from "../../../lib/machine/os/exec.ts";
import { processesOfRun } from "../../../lib/machine/os/orphans.ts";
import { pathsOf } from "../../../lib/paths.ts";
import { isThere, tempDir } from "../../support/fixture.ts";
import { reserveSlot } from "../../support/slot.ts";

Deno.test("doctor: ports are to be free without the service, and in use with it", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using slot = reserveSlot();
  const [media, rtmp, vnc] = slot.ports.map(String);
  const config = parseConfig({
    HOST: "127.0.0.1",
    PORT: String(taken.addr.port),
    MEDIA_PORT: media,
    RTMP_PORT: rtmp,
    VNC_PROXY_PORT: vnc,
  });
  const free = await checkPorts(config, false);
  assert.equal(free.state, "problem");
  assert.match(free.says, new RegExp(`Port ${taken.addr.port} is taken by deno`));
  const running = await checkPorts(config, true);
  assert.equal(running.state, "problem");
  assert.match(running.says, new RegExp(`nothing listens on ${media}, ${rtmp}, ${vnc}$`));
});

Deno.test("doctor: a proxy on the way out is to answer; without one nothing is asked", async () => {
  const found = async (env: Record<string, string>) => (await checkProxies(parseConfig(env))).state;
  using proxy = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using slot = reserveSlot();
  const HTTP_PROXY = `http://127.0.0.1:${proxy.addr.port}`;
  assert.equal(await found({}), "skipped");
  assert.equal(await found({ HTTP_PROXY }), "ok");
  assert.equal(await found({ HTTP_PROXY, NO_PROXY: "a b/99" }), "warning");
  assert.equal(await found({ HTTP_PROXY, HTTPS_PROXY: `http://127.0.0.1:${slot.ports[0]}` }), "warning");
});

Deno.test("doctor: the service is found by the lock on its data", async () => {
  await using dir = await tempDir();
  const paths = pathsOf(parseConfig({ DATA_DIR: dir.path }));
  await Deno.mkdir(paths.streamsDir);
  assert.equal(await runningPid(paths), null);
  using file = await Deno.open(paths.streamsDir);
  await file.lock(true);
  assert.equal(await runningPid(paths), Deno.pid);
  await file.unlock();
  assert.equal(await runningPid(paths), null);
});

const TRIAL = parseConfig({ DISPLAY_BASE: "4000" });

Deno.test("doctor: of what it tries nothing is left", async () => {
  let folder = "";
  {
    await using trial = await Trial.open(TRIAL);
    folder = trial.folder;
    // one that ignores being asked
    const stubborn = ["/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"];
    const isThereNow = () => Promise.resolve(processesOfRun(folder).length > 0);
    assert.equal(await trial.start(stubborn, isThereNow, 5000), null);
  }
  assert.deepEqual(processesOfRun(folder), []);
  assert.ok(!await isThere(folder));
});

Deno.test("doctor: a program that ends at once, or says nothing, is told with its last words", async () => {
  await using trial = await Trial.open(TRIAL);
  const never = () => Promise.resolve(false);
  assert.equal(
    await trial.start(["/bin/sh", "-c", "echo no memory >&2; exit 1"], never, 5000),
    "it ended; no memory",
  );
  assert.equal(await trial.start(["/bin/sleep", "9"], never, 100), "nothing after 0.1 s");
});

Deno.test("doctor: a display is tried, whatever another user's has left there, and does not stay", async () => {
  let display = 0;
  {
    await using trial = await Trial.open(TRIAL);
    display = trial.display;
  }
  // of a server that was killed while it made its keyboard map; a user who is not root has no other to leave it
  const keymap = displayKeymap(display);
  await Deno.writeTextFile(keymap, "", { createNew: true, mode: 0o644 });
  if (isRoot()) await Deno.chown(keymap, 60_001, 60_001);
  {
    await using trial = await Trial.open(TRIAL);
    assert.equal(trial.display, display);
    assert.deepEqual(await checkDisplay(trial), { state: "ok", says: `Xvnc starts on display :${display}` });
    assert.ok(await isThere(`/tmp/.X11-unix/X${display}`));
  }
  for (const path of [`/tmp/.X11-unix/X${display}`, `/tmp/.X${display}-lock`, keymap]) {
    assert.ok(!await isThere(path), path);
  }
});
