import assert from "node:assert/strict";
import { join } from "node:path";
import { parseConfig, uidRangeOf } from "../../../../lib/config.ts";
import {
  canReach,
  currentUser,
  findUser,
  homeOwner,
  pickUid,
  recordedUser,
  usersOf,
  usersOfProcess,
} from "../../../../lib/machine/os/users.ts";
import { tempDir } from "../../../support/fixture.ts";
import { same } from "../../../support/same.ts";

const isRoot = Deno.uid() === 0;

Deno.test("users of this machine", async () => {
  assert.deepEqual(await findUser("root"), { name: "root", uid: 0, gid: 0 });
  for (const name of ["no-such-user", "roo", "root:x"]) assert.equal(await findUser(name), null, name);
  assert.equal((await currentUser()).uid, Deno.uid());
});

Deno.test("a new user gets a number of its own place that nobody has; none is left over", async () => {
  const range = { first: 60_600, last: 60_609 };
  const uid = await pickUid(range, "/profiles/a", new Set());
  assert.ok(uid >= range.first && uid <= range.last);
  assert.equal(await pickUid(range, "/profiles/a", new Set()), uid, "the same after its return");
  const taken = new Set<number>();
  for (let at = 0; at < 10; at++) taken.add(await pickUid(range, "/profiles/a", taken));
  assert.equal(taken.size, 10);
  await assert.rejects(
    pickUid(range, "/profiles/b", taken),
    /all 10 users of 60600-60609 are taken.*UID_RANGE/,
  );
});

Deno.test("two hundred owners in the default range meet rarely: two services on one machine", async () => {
  const range = uidRangeOf(parseConfig({}));
  const uids = await Promise.all(
    Array.from({ length: 200 }, (_, at) => pickUid(range, `/data/${at}/profiles/clock`, new Set())),
  );
  assert.ok(new Set(uids).size > 140, String(new Set(uids).size));
});

Deno.test({
  name: "the record of a user is a folder's owner: never root, never behind a link [needs root]",
  ignore: !isRoot,
  fn: async () => {
    await using dir = await tempDir();
    const folder = join(dir.path, "clock");
    await assert.rejects(recordedUser(folder), /no user of its own/);
    await Deno.mkdir(folder);
    await assert.rejects(recordedUser(folder), /no user of its own/, "root's");
    await Deno.chown(folder, 60_601, 0);
    assert.deepEqual(await recordedUser(folder), { name: "60601", uid: 60_601, gid: 60_601 });
    await Deno.symlink(folder, join(dir.path, "link"));
    await assert.rejects(recordedUser(join(dir.path, "link")), /no user of its own/);
  },
});

const ALL = { first: 1, last: 2 ** 31 - 2 };

Deno.test({
  name: "users of processes and of files are found, those of the range alone [needs root]",
  ignore: !isRoot,
  fn: async () => {
    await using dir = await tempDir();
    for (const uid of [91_010, 91_011, 92_000]) {
      await Deno.writeTextFile(join(dir.path, String(uid)), "");
      await Deno.chown(join(dir.path, String(uid)), uid, uid);
    }
    const sleeper = new Deno.Command("setpriv", {
      args: ["--reuid=91012", "--clear-groups", "--", "/bin/sleep", "60"],
    }).spawn();
    try {
      const range = { first: 91_000, last: 91_099 }; // no service's
      await same(async () => {
        const { uids, isWhole } = await usersOf(range, [dir.path, "/no/such/folder"]);
        return [[...uids].sort(), isWhole];
      }, [[91_010, 91_011, 91_012], true]);
    } finally {
      sleeper.kill("SIGKILL");
      await sleeper.status;
    }
  },
});

Deno.test("a search among too many files ends, and says that it did not see all", async () => {
  await using dir = await tempDir();
  for (let at = 0; at < 50; at++) {
    await Deno.writeTextFile(join(dir.path, String(at)), "");
    if (isRoot) await Deno.chown(join(dir.path, String(at)), 60_610, 60_610);
  }
  assert.equal((await usersOf(ALL, [dir.path])).isWhole, true);
  assert.equal((await usersOf(ALL, [dir.path], { files: 49, ms: 60_000 })).isWhole, false);
  // with the time over before it begins
  assert.equal((await usersOf(ALL, [dir.path], { files: 1000, ms: 0 })).isWhole, false);
});

Deno.test("where files are not all known, a number is at no place that anybody can wait for", async () => {
  const range = { first: 60_600, last: 2 ** 31 };
  const uids = await Promise.all(Array.from({ length: 20 }, () => pickUid(range, null, new Set())));
  assert.ok(new Set(uids).size > 18, String(uids));
});

Deno.test("the users of a process are its real, effective and saved one", () => {
  assert.deepEqual(usersOfProcess(Deno.pid), [Deno.uid(), Deno.uid(), Deno.uid()]);
  assert.deepEqual(usersOfProcess(2 ** 22 + 1), []);
});

Deno.test("a folder is reached when it and all above it may be searched", async () => {
  await using dir = await tempDir();
  const inner = join(dir.path, "outer/inner");
  await Deno.mkdir(inner, { recursive: true });
  const me = { name: "me", uid: Deno.uid()!, gid: Deno.gid()! };
  const group = { name: "group", uid: me.uid + 4000, gid: me.gid };
  const stranger = { name: "stranger", uid: me.uid + 4000, gid: me.gid + 4000 };
  const modes: [outer: number, inner: number, group: boolean, stranger: boolean][] = [
    [0o755, 0o755, true, true],
    [0o755, 0o700, false, false],
    [0o700, 0o755, false, false],
    [0o711, 0o711, true, true],
    [0o750, 0o755, true, false],
    [0o705, 0o755, false, true], // a group's own bits count, not everybody's
    [0o744, 0o755, false, false],
  ];
  await Deno.chmod(dir.path, 0o755);
  for (const [outer, own, byGroup, byStranger] of modes) {
    await Deno.chmod(inner, own);
    await Deno.chmod(join(dir.path, "outer"), outer);
    const reached = await Promise.all([me, group, stranger].map((user) => canReach(user, inner)));
    assert.deepEqual(reached, [true, byGroup, byStranger], outer.toString(8));
  }
});

Deno.test("what is not there yet can be reached as its parent can", async () => {
  await using dir = await tempDir();
  const stranger = { name: "stranger", uid: Deno.uid()! + 4000, gid: Deno.gid()! + 4000 };
  await Deno.chmod(dir.path, 0o755);
  assert.equal(await canReach(stranger, join(dir.path, "a/b/c")), true);
  await Deno.chmod(dir.path, 0o700);
  assert.equal(await canReach(stranger, join(dir.path, "a/b/c")), false);
});

Deno.test("a user's home is known by its path, and no folder in it is", async () => {
  const homes = await Promise.all(["/root", "/root/streams", ""].map(homeOwner));
  assert.deepEqual(homes, ["root", null, null]);
});
