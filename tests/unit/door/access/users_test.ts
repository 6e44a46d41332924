import assert from "node:assert/strict";
import { join } from "node:path";
import { SharedTexts } from "../../../../lib/cluster/shared_texts.ts";
import { hashPassword, isPasswordOf, NO_HASH } from "../../../../lib/door/access/password_hash.ts";
import { Users } from "../../../../lib/door/access/users.ts";
import { UsersFileError } from "../../../../lib/store/users_file.ts";
import { setLogLevel } from "../../../../lib/machine/tools/log.ts";
import { FakeBucket } from "../../../support/fake_bucket.ts";
import { tempDir } from "../../../support/fixture.ts";
import { same } from "../../../support/same.ts";

const PASSWORD = "correct horse battery";
const ANNA = { name: "anna", role: "admin", hash: NO_HASH, epoch: "0123456789abcdef", createdAt: 1 };

setLogLevel("error");

Deno.test("a password is known by its hash alone, however its letters are composed", async () => {
  const hash = await hashPassword("caf\u00e9 au lait");
  assert.match(hash, /^scrypt\$[\w-]{22}\$[\w-]{43}$/);
  assert.ok(await isPasswordOf(hash, "cafe\u0301 au lait"));
  assert.notEqual(await hashPassword("caf\u00e9 au lait"), hash, "each has its own salt");
  for (
    const [text, typed] of [[hash, "cafe au lait"], [NO_HASH, ""], ["", ""], [
      `x${hash}`,
      "caf\u00e9 au lait",
    ]]
  ) {
    assert.equal(await isPasswordOf(text, typed), false, text);
  }
});

Deno.test("who was in before does not wait behind strangers' passwords", async () => {
  let strangers = 0;
  const waiting = Array.from({ length: 8 }, () => isPasswordOf(NO_HASH, "x").then(() => strangers++));
  await isPasswordOf(NO_HASH, "x", true);
  assert.ok(strangers < 8, `${strangers} strangers came first`);
  await Promise.all(waiting);
});

Deno.test("fields of newer versions survive a change, and a broken file stops the start unchanged", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "users.json");
  await Deno.writeTextFile(path, JSON.stringify({ version: 9, users: [{ ...ANNA, photo: "a.png" }] }));
  const users = await Users.open({ path, now: () => 5 });
  await users.add({ name: " bert ", role: "viewer", password: PASSWORD });
  const stored = JSON.parse(await Deno.readTextFile(path));
  assert.deepEqual([stored.version, stored.users[0].photo, stored.users[1].name], [9, "a.png", "bert"]);
  for (
    const broken of [
      "{",
      "[]",
      '{"users":[{}]}',
      JSON.stringify({ users: [{ ...ANNA, role: "root" }] }),
      JSON.stringify({ users: [ANNA, { ...ANNA, name: "Anna" }] }),
    ]
  ) {
    await Deno.writeTextFile(path, broken);
    await assert.rejects(Users.open({ path, now: () => 5 }), UsersFileError, broken);
    assert.equal(await Deno.readTextFile(path), broken);
  }
});

Deno.test("names and passwords that cannot be are refused by their field, and nothing is stored", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "users.json");
  const users = await Users.open({ path, now: () => 5, reserved: "anna" });
  const bad: [Record<string, unknown>, string][] = [
    [{ name: "" }, "name"],
    [{ name: "a,b" }, "name"],
    [{ name: "a/b" }, "name"],
    [{ name: "a%41" }, "name"],
    [{ name: "a\nb" }, "name"],
    [{ name: "x".repeat(65) }, "name"],
    [{ role: "root" }, "role"],
    [{ password: "short" }, "password"],
    [{ password: "two\nlines of it" }, "password"],
    [{ password: 12345678 }, "password"],
  ];
  for (const [fields, field] of bad) {
    const body = { name: "bert", role: "viewer", password: PASSWORD, ...fields };
    await assert.rejects(
      users.add(body),
      (error: { fields?: object }) => field in (error.fields ?? {}),
      field,
    );
  }
  await assert.rejects(
    users.add({ name: "Anna", role: "admin", password: PASSWORD }),
    /AUTH_USER has the name/,
  );
  assert.deepEqual(users.list(), []);
});

Deno.test("at the machine the last user may go, but a user without an admin may not stay", async () => {
  await using dir = await tempDir();
  const users = await Users.open({ path: join(dir.path, "users.json"), now: () => 5, isAtMachine: true });
  await users.add({ name: "cleo", role: "admin", password: PASSWORD });
  await users.add({ name: "vera", role: "viewer", password: PASSWORD });
  await assert.rejects(users.remove("cleo"), /last admin/);
  await users.remove("vera");
  await users.remove("cleo");
  assert.deepEqual(users.list(), []);
});

Deno.test("who is removed at one node is removed at another whose disk does not write", async () => {
  await using one = await tempDir();
  await using other = await tempDir();
  const bucket = new FakeBucket();
  const leaving = new AbortController();
  const disk = Promise.withResolvers<void>();
  const at = async (dir: string, room?: { use<Result>(write: () => Promise<Result>): Promise<Result> }) => {
    const users = await Users.open({ path: join(dir, "users.json"), now: () => 5, reserved: "root", room });
    const texts = await SharedTexts.open(bucket.view(), leaving.signal);
    await users.shareable.follow(texts.of("users"));
    return users;
  };
  const first = await at(one.path);
  await first.add({ name: "cleo", role: "viewer", password: PASSWORD });
  const slow = await at(other.path, { use: (write) => disk.promise.then(write) });
  await same(() => slow.find("cleo")?.name, "cleo");
  // each node looks for what a command has written, every two seconds
  const looked = slow.reload();
  await first.remove("cleo");
  await same(() => slow.find("cleo"), undefined);
  await slow.add({ name: "dora", role: "viewer", password: PASSWORD });
  await same(() => first.find("dora")?.name, "dora");
  disk.resolve();
  await Promise.all([looked, first.settled(), slow.settled()]);
  const stored = JSON.parse(await Deno.readTextFile(join(other.path, "users.json")));
  assert.deepEqual(stored.users.map(({ name }: { name: string }) => name), ["dora"]);
  leaving.abort();
});
