/** The folders of streams' users, made by root below a folder of the test's. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { Repairs } from "../../../lib/machine/broker/repairs.ts";
import { StreamFolders } from "../../../lib/machine/broker/stream_folders.ts";
import { UserPerStream } from "../../../lib/machine/broker/stream_users.ts";
import { channelDir } from "../../../lib/channel/media/hls.ts";
import {
  browserPipes,
  captureKey,
  displayKey,
  hubSocket,
  type Paths,
  picturesFolder,
  slotPaths,
} from "../../../lib/paths.ts";
import { type StreamId, streamId } from "../../../lib/model/id.ts";
import { programFile } from "../../../lib/machine/supervisor/program_files.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { RUN_MARKER } from "../../../lib/machine/os/orphans.ts";
import { type BytesRunner, readOutput, runBytes } from "../../../lib/machine/os/process.ts";
import { lockOwner } from "../../../lib/machine/os/file_lock.ts";
import type { MemoryGroups } from "../../../lib/machine/os/memory_group.ts";
import { UserRecords } from "../../../lib/machine/os/user_records.ts";
import { numberedUser, processUsers } from "../../../lib/machine/os/users.ts";
import { isThere, makePaths, tempDir } from "../../support/fixture.ts";
import { needsRoot } from "../../support/needs_root.ts";
import { same } from "../../support/same.ts";

setLogLevel("error");

const [web, media, vncProxy, front, capture] = [60_600, 60_601, 60_602, 60_603, 60_604].map(numberedUser);
const shared = { web, media, vncProxy, front, capture };
const RANGE = { first: 60_600, last: 61_183 };
const [a, b] = ["a", "b"].map(streamId);
const needs = (display: number) => ({ display, resolution: "1280x720", memoryLimitMb: 1500 });

interface Given {
  /** What fails, with its reason. */
  faults: Partial<Record<"guards" | "restrict" | "memory", string>>;
  paths: Paths;
  folders: StreamFolders;
  stale: number[];
  /** The programs that were run. */
  runs: Parameters<BytesRunner>[];
  uid(id: StreamId): number;
}

/** Where this test's services record their users. */
const recordsOf = ({ runDir }: Paths) => join(runDir, "users");

function folderTest(name: string, test: (given: Given) => Promise<void>): void {
  needsRoot(name, async () => {
    await using dir = await tempDir();
    await Deno.chmod(dir.path, 0o755);
    const paths = await makePaths(dir.path);
    const stale: number[] = [];
    const runs: Parameters<BytesRunner>[] = [];
    const faults: Given["faults"] = {};
    const unless = (fault: keyof Given["faults"]) => () =>
      faults[fault] === undefined ? Promise.resolve() : Promise.reject(new Error(faults[fault]));
    const folders = new StreamFolders({
      paths,
      programFiles: {
        templates: { stream: "[group:{{id}}]\n", program: "[program:{{kind}}-{{id}}]\n" },
        executable: ["/x"],
        ...paths,
      },
      users: new UserPerStream(
        paths.profilesDir,
        RANGE,
        new UserRecords(paths, recordsOf(paths)),
        Object.values(shared),
      ),
      shared,
      memory: { limit: unless("memory"), remove: () => Promise.resolve() } as unknown as MemoryGroups,
      displayBase: 100,
      machine: {
        removeStaleDisplay: (display) => Promise.resolve(void stale.push(display)),
        isUp: () => Promise.resolve(true),
        runBytes: (...run) => {
          runs.push(run);
          return runBytes(...run);
        },
        readOutput,
        checkGuards: unless("guards"),
        restrict: unless("restrict"),
      },
      repairs: new Repairs(),
    });
    await test({
      faults,
      paths,
      folders,
      stale,
      runs,
      uid: (id) => Deno.lstatSync(join(paths.profilesDir, id)).uid!,
    });
  });
}

/** Owner, group and mode. */
function rights(path: string): [uid: number, gid: number, mode: string] {
  const { uid, gid, mode } = Deno.lstatSync(path);
  return [uid!, gid!, (mode! & 0o7777).toString(8)];
}

folderTest(
  "each stream gets a user, and folders for it and for whom it passes something on to",
  async (given) => {
    const { paths, folders, uid, stale } = given;
    assert.deepEqual(await Promise.all([folders.prepare(a, needs(101)), folders.prepare(b, needs(102))]), [
      true,
      true,
    ]);
    assert.notEqual(uid(a), uid(b));
    for (const [id, display] of [[a, 101], [b, 102]] as const) {
      const slot = slotPaths(paths, display);
      const own = uid(id);
      assert.ok(own >= RANGE.first && own <= RANGE.last && ![web.uid, media.uid, vncProxy.uid].includes(own));
      assert.deepEqual(rights(join(paths.profilesDir, id)), [own, own, "700"]);
      assert.deepEqual(rights(dirname(browserPipes(paths, id).input)), [0, 0, "711"]);
      assert.deepEqual(rights(dirname(hubSocket(paths, id))), [web.uid, own, "2710"]);
      for (const path of [slot.folder, slot.homeDir, slot.pulseDir, slot.tempDir]) {
        assert.deepEqual(rights(path), [own, own, "700"]);
      }
      assert.deepEqual(rights(slot.xauthority), [own, own, "600"]);
      assert.deepEqual(rights(join(paths.vncDir, id)), [own, vncProxy.gid, "2710"]);
      assert.deepEqual(rights(picturesFolder(paths, display)), [capture.uid, own, "2710"]);
      assert.deepEqual(rights(displayKey(paths, display)), [0, web.gid, "640"]);
      assert.deepEqual(rights(captureKey(paths, display)), [0, capture.gid, "640"]);
      assert.deepEqual(rights(channelDir(paths.hlsDir, id)), [media.uid, web.gid, "2750"]);
      assert.deepEqual(rights(join(paths.logsDir, id)), [0, web.gid, "2750"]);
      assert.deepEqual(rights(programFile(paths, id)), [0, 0, "644"]);
    }
    assert.deepEqual(stale.toSorted(), [101, 102]);
    const keys = await Promise.all([101, 102].map((one) => Deno.readFile(slotPaths(paths, one).xauthority)));
    assert.notDeepEqual(keys[0], keys[1]);
  },
);

folderTest("preparing a stream again keeps what it runs with", async ({ paths, folders, uid }) => {
  await folders.prepare(a, needs(101));
  const before = [uid(a), await Deno.readTextFile(slotPaths(paths, 101).xauthority)];
  await Deno.writeTextFile(join(channelDir(paths.hlsDir, a), "1.ts"), "");
  assert.equal(await folders.prepare(a, needs(101)), false);
  assert.deepEqual([uid(a), await Deno.readTextFile(slotPaths(paths, 101).xauthority)], before);
  assert.ok(await isThere(join(channelDir(paths.hlsDir, a), "1.ts")));
});

folderTest(
  "what cannot be guarded is not prepared, at no later try either, and leaves nothing",
  async ({ paths, folders, faults }) => {
    for (const fault of ["guards", "restrict", "memory"] as const) {
      faults[fault] = `${fault}: no room`;
      for (let tries = 0; tries < 2; tries++) {
        await assert.rejects(folders.prepare(a, needs(101)), new RegExp(`${fault}: no room`));
        assert.ok(!await isThere(slotPaths(paths, 101).folder), fault);
        assert.ok(!await isThere(join(paths.pipesDir, a)), fault);
      }
      delete faults[fault];
    }
    await folders.prepare(a, needs(101));
    // the programs go on with the limit that there was
    faults.memory = "the page has more just now";
    assert.equal(await folders.prepare(a, needs(101)), false);
  },
);

folderTest("no stream gets another's display, or one that is not ours", async ({ folders }) => {
  await folders.prepare(a, needs(101));
  await assert.rejects(folders.prepare(b, needs(101)), /:101 is another stream's/);
  for (const display of [0, 100, 601]) {
    await assert.rejects(folders.prepare(b, needs(display)), /no display of ours/);
  }
});

folderTest(
  "a stopped stream leaves its profile alone; a removed one nothing",
  async ({ paths, folders, uid }) => {
    await folders.prepare(a, needs(101));
    const own = uid(a);
    const gone = [
      ...[slotPaths(paths, 101).folder, join(paths.vncDir, a), channelDir(paths.hlsDir, a)],
      ...[join(paths.pipesDir, a), join(paths.hubsDir, a)],
      ...[picturesFolder(paths, 101), captureKey(paths, 101)],
    ];
    await folders.release(a);
    assert.deepEqual(await Promise.all(gone.map(isThere)), gone.map(() => false));
    await folders.prepare(a, needs(102));
    assert.equal(uid(a), own);
    await assert.rejects(folders.reset(a), /not been stopped/);
    await folders.release(a);
    await Deno.writeTextFile(join(paths.profilesDir, a, "Cookies"), "");
    await folders.reset(a);
    assert.deepEqual([uid(a), [...Deno.readDirSync(join(paths.profilesDir, a))]], [own, []]);
    await folders.disown(a);
    await folders.remove(a);
    const all = [join(paths.profilesDir, a), join(paths.logsDir, a), programFile(paths, a)];
    assert.deepEqual(await Promise.all(all.map(isThere)), [false, false, false]);
  },
);

folderTest("what its own user put into a folder is removed, not followed", async ({ paths, folders }) => {
  const precious = join(paths.streamsDir, "precious");
  await Deno.mkdir(precious);
  await Deno.writeTextFile(join(precious, "file"), "");
  await folders.prepare(a, needs(101));
  const slot = slotPaths(paths, 101);
  for (const folder of [slot.tempDir, join(paths.profilesDir, a), join(paths.vncDir, a)]) {
    await Deno.symlink(precious, join(folder, "link"));
  }
  await Deno.remove(slot.pulseDir);
  await Deno.symlink(precious, slot.pulseDir);
  await folders.remove(a);
  assert.ok(await isThere(join(precious, "file")));
  assert.deepEqual(rights(precious).slice(0, 2), [0, 0]);
});

folderTest("a profile is measured as its user", async ({ paths, folders, uid }) => {
  assert.equal(await folders.measure(a), 0);
  await folders.prepare(a, needs(101));
  const before = await folders.measure(a);
  const file = join(paths.profilesDir, a, "large");
  await Deno.writeFile(file, new Uint8Array(1_000_000), { mode: 0o600 });
  await Deno.chown(file, uid(a), uid(a));
  const grown = await folders.measure(a) - before;
  assert.ok(grown >= 1_000_000 && grown < 1_100_000, String(grown));
});

folderTest("a link in a profile's place is replaced", async ({ paths, folders, uid }) => {
  const other = join(paths.streamsDir, "other");
  await Deno.mkdir(other);
  await Deno.symlink(other, join(paths.profilesDir, a));
  await folders.prepare(a, needs(101));
  assert.ok(Deno.lstatSync(join(paths.profilesDir, a)).isDirectory);
  assert.deepEqual(rights(other).slice(0, 2), [0, 0]);
  assert.notEqual(uid(a), 0);
});

/** Something that a user runs, with an environment that it chose itself. */
function runsAs(uid: number, argv: string[], env: Record<string, string> = {}) {
  const child = new Deno.Command(argv[0], {
    args: argv.slice(1),
    uid,
    gid: uid,
    cwd: "/",
    clearEnv: true,
    env,
  })
    .spawn();
  return {
    pid: child.pid,
    status: child.status,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // it has ended
      }
      await child.status;
    },
  };
}

folderTest(
  "a number that another service has is changed, with the profile",
  async ({ paths, folders, uid }) => {
    await folders.prepare(a, needs(101));
    await folders.release(a);
    const before = uid(a);
    await Deno.writeTextFile(join(paths.profilesDir, a, "Cookies"), "");
    await Deno.chown(join(paths.profilesDir, a, "Cookies"), before, before);
    const other = { runDir: "/dev/shm/other", upLock: join(paths.runDir, "other.lock") };
    await Deno.writeTextFile(other.upLock, "");
    await new UserRecords(other, recordsOf(paths)).keep(before);
    await using others = runsAs(before, ["/bin/sleep", "60"]);
    {
      await using _up = runsAs(0, ["/usr/bin/flock", "--no-fork", other.upLock, "/bin/sleep", "60"]);
      await same(async () => await lockOwner(other.upLock) !== null, true);
      await folders.prepare(a, needs(101));
      assert.notEqual(uid(a), before);
      assert.equal(rights(join(paths.profilesDir, a, "Cookies"))[0], uid(a));
      await folders.release(a);
      await new UserRecords(paths, recordsOf(paths)).end(before);
      assert.equal(
        Deno.readTextFileSync(`/proc/${others.pid}/comm`),
        "sleep\n",
        "the other service's goes on",
      );
    }
    // the other service was killed: what it left is nobody's
    await same(async () => await lockOwner(other.upLock), null);
    await new UserRecords(paths, recordsOf(paths)).end(before);
    assert.equal((await others.status).signal, "SIGKILL");
  },
);

/** What a stream's user leaves running: none of it says truly whose it is, or stays what it was at the last look. */
const LEFT_RUNNING: Record<string, [argv: string[], env?: Record<string, string>]> = {
  "with another service's mark": [["/bin/sleep", "60"], { [RUN_MARKER]: "/dev/shm/other" }],
  "without a mark": [["/bin/sleep", "60"]],
  "in a session of its own, which ignores what it may": [
    ["/usr/bin/setsid", "/bin/sh", "-c", "trap '' TERM HUP INT; sleep 60"],
  ],
  "that is another process at each look": [[
    "/usr/bin/python3",
    "-c",
    "import os, time\nend = time.time() + 20\nwhile time.time() < end:\n    if os.fork(): os._exit(0)",
  ]],
  "that starts more and more": [[
    "/usr/bin/python3",
    "-c",
    "import os, time\nfor _ in range(6): os.fork()\ntime.sleep(60)",
  ]],
};

folderTest(
  "whatever a stream's user left running ends with the stream, and with the service",
  async (given) => {
    const { paths, folders, uid } = given;
    await folders.prepare(a, needs(101));
    const user = uid(a);
    const records = new UserRecords(paths, recordsOf(paths));
    const seen = () => [...processUsers()].filter(({ uids }) => uids.includes(user)).length;
    for (const end of [() => folders.release(a), () => records.endAll()]) {
      await using started = new AsyncDisposableStack();
      for (const [argv, env] of Object.values(LEFT_RUNNING)) started.use(runsAs(user, argv, env));
      await same(() => seen() > Object.keys(LEFT_RUNNING).length, true);
      await end();
      await same(() => Math.max(...Array.from({ length: 5 }, seen)), 0); // one may hide from one look
    }
  },
);

folderTest(
  "a stream's sound server is asked as its user, with nothing of root's and a bounded answer",
  async (given) => {
    const { folders, runs, uid } = given;
    await folders.prepare(a, needs(101));
    runs.length = 0;
    assert.equal(await folders.hasSound(a), false, "none runs");
    const [[argv, options]] = runs;
    const before = argv.slice(0, argv.indexOf("/usr/bin/pactl"));
    assert.ok(before.includes(`--reuid=${uid(a)}`), before.join(" "));
    assert.equal(options?.clearEnv, true);
    assert.ok(options.timeoutMs! <= 5000 && options.maxOutput! <= 64 * 1024);
    await assert.rejects(folders.hasSound(b), /not running/);
    assert.equal(runs.length, 1);
  },
);

folderTest("temporary files that nobody has touched for a day are removed, as their user", async (given) => {
  const { paths, folders, runs, uid } = given;
  await folders.prepare(a, needs(101));
  const { tempDir } = slotPaths(paths, 101);
  const dumps = join(tempDir, "pending");
  await Deno.mkdir(dumps);
  const outside = join(paths.runDir, "outside.dmp");
  const files = [
    ...["old.dmp", "new.dmp", "read.dmp"].map((name) => join(dumps, name)),
    join(tempDir, "settings.dat"),
    outside,
  ];
  const old = Date.now() / 1000 - 25 * 3600;
  for (const path of files) {
    await Deno.writeTextFile(path, "");
    const [read, written] = path.includes("new") ? [old, Date.now() / 1000] : [old, old];
    await Deno.utime(path, path.includes("read") ? Date.now() / 1000 : read, written);
    await Deno.chown(path, uid(a), uid(a));
  }
  await Deno.symlink(paths.runDir, join(tempDir, "link"));
  await Deno.chown(dumps, uid(a), uid(a));
  runs.length = 0;
  await folders.removeTemporaryFiles();
  const left = [...Deno.readDirSync(dumps)].map(({ name }) => name).sort();
  assert.deepEqual(left, ["new.dmp", "read.dmp"]);
  assert.ok(await isThere(join(tempDir, "settings.dat")));
  assert.ok(await isThere(outside), "a link was followed");
  assert.ok(runs[0][0].includes(`--reuid=${uid(a)}`));
});

folderTest("what a deleted stream left is removed, but not what a new one of its name has", async (given) => {
  const { paths, folders } = given;
  await folders.prepare(a, needs(101));
  await folders.removeLeftover(a);
  assert.ok(await isThere(join(paths.profilesDir, a)), "it runs");
  await folders.release(a);
  await folders.removeLeftover(a);
  assert.ok(!await isThere(join(paths.profilesDir, a)));
  assert.equal(folders.removals, 0);
  await folders.remove(b);
  assert.equal(folders.removals, 1);
});

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false; // no container has all of them
  }
}

/** Where every user may make files. */
const EVERYBODYS = ["/var/tmp", "/run/lock", "/dev/mqueue", "/tmp", "/dev/shm"].filter(isFolder);

/** Makes a file in a folder, which another user gets. */
async function leave(folder: string, uid: number): Promise<string> {
  const path = join(folder, `bs-left-${crypto.randomUUID()}`);
  await Deno.writeTextFile(path, "");
  await Deno.chown(path, uid, uid);
  await Deno.chmod(path, 0o4755);
  return path;
}

folderTest("a number that owns a file where every user may make them is no new stream's", async (given) => {
  const { folders, uid } = given;
  for (const folder of EVERYBODYS) {
    await folders.prepare(a, needs(101));
    const before = uid(a);
    await folders.remove(a);
    const path = await leave(folder, before);
    try {
      await folders.prepare(a, needs(101));
      assert.notEqual(uid(a), before, folder);
    } finally {
      await Deno.remove(path);
    }
    await folders.remove(a);
  }
});

folderTest(
  "what a removed stream's user left there goes with the stream, and nothing else",
  async (given) => {
    const { folders, uid, paths } = given;
    await folders.prepare(a, needs(101));
    const own = uid(a);
    const left = await Promise.all(EVERYBODYS.map((folder) => leave(folder, own)));
    const others = await leave("/var/tmp", RANGE.last);
    const folder = join("/var/tmp", `bs-left-${crypto.randomUUID()}`);
    await Deno.mkdir(folder);
    const precious = join(paths.streamsDir, "precious");
    await Deno.mkdir(precious);
    await Deno.chmod(precious, 0o777);
    await Deno.writeTextFile(join(precious, "file"), "");
    await Deno.symlink(precious, join(folder, "link"));
    await Deno.chown(folder, own, own);
    try {
      await folders.release(a);
      assert.deepEqual(await Promise.all(left.map(isThere)), left.map(() => true), "it was only stopped");
      await folders.remove(a);
      assert.deepEqual(await Promise.all([...left, folder].map(isThere)), [...left, folder].map(() => false));
      assert.deepEqual([await isThere(others), await isThere(join(precious, "file"))], [true, true]);
    } finally {
      for (const path of [...left, folder, others]) {
        await Deno.remove(path, { recursive: true }).catch(() => {});
      }
    }
  },
);
