import { strict as assert } from "node:assert";
import { join } from "node:path";
import { claimData, claimFolders } from "../../../lib/run/claims.ts";
import { lockOwner } from "../../../lib/machine/os/file_lock.ts";
import { parseConfig } from "../../../lib/config.ts";
import { pathsOf } from "../../../lib/paths.ts";
import { makeDataFolders } from "../../../lib/run/data_folders.ts";
import { numberedUser } from "../../../lib/machine/os/users.ts";
import { isThere, namesIn, tempDir } from "../../support/fixture.ts";
import { logged } from "../../support/logged.ts";
import { needsRoot } from "../../support/needs_root.ts";

const modeOf = (path: string) => (Deno.statSync(path).mode! & 0o777).toString(8);

async function claimed(dir: string): Promise<string[]> {
  const config = parseConfig({ DATA_DIR: join(dir, "new", "data") });
  using _claim = await claimData(config, pathsOf(config));
  return ["new", "new/data", "new/data/streams"].map((path) => modeOf(join(dir, path)));
}

Deno.test("a data directory that is made lets the streams' users through, and closes the list to them", async () => {
  await using dir = await tempDir();
  assert.deepEqual(await claimed(dir.path), ["755", "755", "700"]);
});

Deno.test({
  name: "a data directory of root's that is closed to all others is opened for passing through alone",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    await using dir = await tempDir();
    await Deno.mkdir(join(dir.path, "new/data"), { recursive: true });
    await Deno.chmod(join(dir.path, "new/data"), 0o700);
    assert.deepEqual(await claimed(dir.path), ["755", "711", "700"]);
    const umask = Deno.umask(0o077);
    try {
      await using strict = await tempDir();
      assert.deepEqual(await claimed(strict.path), ["700", "711", "700"]);
    } finally {
      Deno.umask(umask);
    }
  },
});

const [USER, WEB] = [60_900, numberedUser(60_600)];

/** A data directory as a normal user left it. */
async function usersData(dir: string, mode = 0o755) {
  const data = join(dir, "data");
  // longer than an operator's may be
  const config = { ...parseConfig({ DATA_DIR: data, PIPELINE_DIR: data }), RUN_DIR: join(dir, "run") };
  const paths = pathsOf(config);
  for (
    const path of [data, paths.streamsDir, paths.profilesDir, join(paths.logsDir, "clock"), paths.pythonDir]
  ) {
    await Deno.mkdir(path, { recursive: true });
  }
  await Deno.writeTextFile(paths.streamsFile, "[]");
  await Deno.writeTextFile(join(paths.logsDir, "clock/browser.log"), "old");
  const give = async () => {
    const { code } = await new Deno.Command("chown", { args: ["-R", "-h", `${USER}:${USER}`, data] })
      .output();
    assert.equal(code, 0);
  };
  await give();
  await Deno.chmod(data, mode);
  return { data, config, paths, give };
}

const rights = (path: string) => {
  const { uid, gid, mode } = Deno.lstatSync(path);
  return [uid, gid, (mode! & 0o7777).toString(8)];
};

for (const name of ["streams", "logs", "config", "profiles"]) {
  needsRoot(`a link at ${name} is refused, and where it leads is not given away`, async () => {
    await using dir = await tempDir();
    const { data, config, paths } = await usersData(dir.path);
    const roots = join(dir.path, "roots");
    await Deno.mkdir(roots, { mode: 0o750 });
    await Deno.remove(join(data, name), { recursive: true });
    await Deno.symlink(roots, join(data, name));
    const says = new RegExp(`${name} is a link to ${roots}.*mount --bind`, "s");
    await assert.rejects(claimFolders(config, paths), says);
    await assert.rejects(claimData(config, paths), says);
    assert.deepEqual(rights(roots), [0, 0, "750"]);
    assert.deepEqual(await namesIn(roots), []);
  });
}

needsRoot("a normal user's link does not stand for the data directory", async () => {
  await using dir = await tempDir();
  const { data, config, paths } = await usersData(dir.path);
  const link = join(dir.path, "link");
  await Deno.symlink(data, link);
  const linked = { ...config, DATA_DIR: link };
  (await claimData(linked, paths))[Symbol.dispose](); // root's own may
  await new Deno.Command("chown", { args: ["-h", `${USER}:${USER}`, link] }).output();
  await assert.rejects(claimData(linked, paths), /is a link that user 60900 made/);
});

needsRoot(
  "root takes the folders of its work from a normal user, and keeps nothing there that it would run or open",
  async () => {
    await using dir = await tempDir();
    const { data, config, paths, give } = await usersData(dir.path, 0o775);
    const secret = join(dir.path, "secret");
    await Deno.writeTextFile(secret, "root's", { mode: 0o600 });
    await Deno.writeTextFile(join(paths.pythonDir, "socket.py"), "import os");
    await Deno.symlink(secret, join(paths.logsDir, "supervisord.log"));
    await Deno.symlink(secret, join(paths.logsDir, "clock/encoder.log"));
    await Deno.link(secret, join(paths.logsDir, "media.log"));
    await give();
    await Deno.chown(secret, 0, 0); // chown -R got to it by its second name
    await logged(async () => {
      const { release } = await claimFolders(config, paths);
      await makeDataFolders(config, paths, { web: WEB, capture: WEB });
      await release();
    });
    assert.deepEqual(rights(data), [0, USER, "755"]);
    assert.deepEqual(await namesIn(paths.pythonDir), []);
    assert.deepEqual(await namesIn(paths.logsDir), ["clock"]);
    assert.deepEqual(await namesIn(join(paths.logsDir, "clock")), ["browser.log"]);
    assert.deepEqual(rights(join(paths.logsDir, "clock/browser.log")).slice(0, 2), [0, WEB.gid]);
    assert.deepEqual([rights(paths.streamsDir)[0], rights(paths.streamsFile)[0]], [WEB.uid, WEB.uid]);
    const kept = [paths.configDir, paths.programsDir, paths.profilesDir, paths.logsDir];
    assert.deepEqual(kept.map((path) => rights(path)[0]), kept.map(() => 0));
    assert.deepEqual([rights(secret), await Deno.readTextFile(secret)], [[0, 0, "600"], "root's"]);
  },
);

needsRoot("what a normal user had closed stays closed, at each start", async () => {
  await using dir = await tempDir();
  const { data, config, paths } = await usersData(dir.path, 0o700);
  for (const _ of [1, 2]) {
    await logged(async () => await (await claimFolders(config, paths)).release());
    assert.deepEqual(rights(data), [0, USER, "700"]);
  }
  assert.ok(!await isThere(paths.runDir));
});

needsRoot(
  "a run directory that another user made first is set aside, unless the operator has chosen it",
  async () => {
    await using dir = await tempDir();
    const config = parseConfig({ DATA_DIR: dir.path, PIPELINE_DIR: dir.path });
    const { runDir } = pathsOf(config);
    await Deno.mkdir(runDir);
    await Deno.chown(runDir, USER, USER);
    const chosen = { ...config, RUN_DIR: runDir };
    await assert.rejects(claimFolders(chosen, pathsOf(chosen)), /belongs to another user/);
    const said = await logged(async () => {
      const { release } = await claimFolders(config, pathsOf(config));
      assert.deepEqual(rights(runDir), [0, 0, "755"]);
      await release();
    }, "warn");
    const [aside] = /\/dev\/shm\/\.left-[\w-]+/.exec(said.join())!;
    assert.equal(rights(aside)[0], USER);
    await Deno.remove(aside);
  },
);

Deno.test("a run directory that is not ours alone is refused, and left as it is", async () => {
  // a run directory's path is short
  await using dir = await tempDir("/dev/shm");
  const [data, own] = [join(dir.path, "d"), join(dir.path, "own")];
  await Deno.mkdir(own);
  await Deno.writeTextFile(join(own, "mine"), "precious");
  const rows: [runDir: string, says: RegExp][] = [
    [own, /holds files of another program/],
    [".", /holds files of another program/],
    ["/", /holds files of another program/],
    [data, /must lie apart from DATA_DIR/],
    [join(data, "run"), /must lie apart from DATA_DIR/],
    [dir.path, /must lie apart from DATA_DIR/],
  ];
  for (const [runDir, says] of rows) {
    const config = parseConfig({ DATA_DIR: data, PIPELINE_DIR: data, RUN_DIR: runDir });
    await assert.rejects(claimFolders(config, pathsOf(config)), says, runDir);
  }
  assert.deepEqual(await namesIn(own), ["mine"]);
});

Deno.test("a run directory that was removed is claimed anew, unless something else is there by now", async () => {
  await using dir = await tempDir("/dev/shm");
  const [data, runDir] = [join(dir.path, "d"), join(dir.path, "run")];
  const config = parseConfig({ DATA_DIR: data, PIPELINE_DIR: data, RUN_DIR: runDir });
  const paths = pathsOf(config);
  const claims = await claimFolders(config, paths);
  const isClaimed = async () => assert.equal(await lockOwner(paths.upLock), Deno.pid);
  try {
    await claims.renewRunDir();
    await Deno.remove(runDir, { recursive: true });
    await claims.renewRunDir();
    await isClaimed();
    // a folder of ours came back before the lock
    await Deno.remove(runDir, { recursive: true });
    await Deno.mkdir(paths.hlsDir, { recursive: true });
    await claims.renewRunDir();
    await isClaimed();
    await Deno.remove(runDir, { recursive: true });
    await Deno.mkdir(join(runDir, "precious"), { recursive: true });
    await assert.rejects(claims.renewRunDir(), /holds files of another program/);
  } finally {
    await claims.release();
  }
  assert.deepEqual(await namesIn(runDir), ["precious"]);
});
