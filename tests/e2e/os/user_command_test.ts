/**
 * `browser-stream user`, and what the owner of a data directory puts in the way of root's commands: `browser-stream user`
 * and `browser-stream cluster init`.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Users } from "../../../lib/door/access/users.ts";
import { parseConfig } from "../../../lib/config.ts";
import { pathsOf } from "../../../lib/paths.ts";
import { root, tempDir } from "../../support/fixture.ts";
import { needsRoot } from "../../support/needs_root.ts";
import { inOwnProcess } from "../../support/own_process.ts";

const OWNER = 60_602;

/** A data directory, and a folder that only root reads. */
async function dataAndRoots(): Promise<AsyncDisposable & { data: string; roots: string }> {
  const dir = await tempDir();
  await Deno.chmod(dir.path, 0o755);
  const [data, roots] = ["data", "roots"].map((name) => join(dir.path, name));
  await Deno.mkdir(data);
  await Deno.mkdir(roots, { mode: 0o700 });
  return { data, roots, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

Deno.test("users are added, listed, changed and removed by a command, which reads passwords from stdin alone", async () => {
  await using dir = await tempDir();
  const config = parseConfig({ DATA_DIR: dir.path });
  const { usersFile: path } = pathsOf(config);
  const command = async (args: string, typed?: string) => {
    const printed = await inOwnProcess(
      "lib/run/user.ts",
      `import { readWords } from "${root}lib/run/command/words.ts";
      await m.user(${JSON.stringify(config)}, readWords(${JSON.stringify(["user", ...args.split(" ")])}))
        .catch((error) => console.log(error.message));`,
      typed,
    );
    return printed.replace(/^\{"time".*\n/gm, ""); // the log
  };
  const isRight = async (password: string) =>
    await (await Users.open({ path, now: Date.now })).withPassword("cleo", password) !== null;
  assert.match(
    await command("add cleo --role=admin", "a good passphrase\n"),
    /^cleo is admin: .* within seconds/,
  );
  assert.equal(await isRight("a good passphrase"), true);
  assert.match(await command("add Cleo", "a good passphrase\n"), /There is a user "cleo" already/);
  assert.match(await command("add vera", "short\n"), /8/);
  assert.match(await command("add vera", "a good passphrase\n"), /^vera is viewer: /);
  assert.equal(await command("list"), "cleo  admin\nvera  viewer\n");
  assert.match(await command("role vera operator"), /^vera is operator: /);
  await command("password cleo", "another passphrase\n");
  assert.deepEqual([await isRight("a good passphrase"), await isRight("another passphrase")], [false, true]);
  assert.match(await command("password nobody", "another passphrase\n"), /There is no user "nobody"/);
  await command("remove vera");
  assert.equal(await command("list"), "cleo  admin\n");
  assert.doesNotMatch(await Deno.readTextFile(path), /passphrase/);
});

needsRoot(
  "a command of root's changes no users where a link of the data directory's owner leads",
  async () => {
    await using folders = await dataAndRoots();
    const { data, roots } = folders;
    const file = join(roots, "users.json");
    const users = await Users.open({ path: file, now: Date.now, isAtMachine: true });
    await users.add({ name: "anna", role: "admin", password: "a good passphrase" });
    const before = await Deno.readTextFile(file);
    const command = (...args: string[]) =>
      inOwnProcess(
        "lib/run/user.ts",
        `import { readWords } from "${root}lib/run/command/words.ts";
        await m.user(${JSON.stringify(parseConfig({ DATA_DIR: data }))}, readWords(${
          JSON.stringify(["user", ...args])
        }))
        .catch((error) => console.log(error.message));`,
      );
    await Deno.symlink(roots, join(data, "streams"));
    // in a folder of root's, where an earlier owner has left it, and in one of that owner's
    for (const uid of [0, OWNER]) {
      await Deno.chown(data, uid, uid);
      assert.doesNotMatch(await command("list"), /anna/);
      await command("remove", "anna");
      assert.equal(await Deno.readTextFile(file), before);
    }
    await Deno.remove(join(data, "streams"));
    assert.match(await command("list"), /There are no users/);
    assert.equal(
      (await Deno.lstat(join(data, "streams"))).uid,
      OWNER,
      "who owns the directory could replace root's",
    );
  },
);

needsRoot(
  "what a cluster begins with is not read where a link of the data directory's owner leads",
  async () => {
    await using folders = await dataAndRoots();
    const { data, roots } = folders;
    await Deno.writeTextFile(join(roots, "users.json"), '{"users":"sesame"}');
    const brought = () =>
      inOwnProcess(
        "lib/run/cluster.ts",
        `console.log(await m.ownData(${JSON.stringify(parseConfig({ DATA_DIR: data }))}).then(JSON.stringify,
        (error) => error.message));`,
      );
    await Deno.symlink(roots, join(data, "streams"));
    for (const uid of [0, OWNER]) {
      await Deno.chown(data, uid, uid);
      assert.doesNotMatch(await brought(), /sesame/);
    }
    await Deno.remove(join(data, "streams"));
    await Deno.mkdir(join(data, "streams"));
    await Deno.chown(join(data, "streams"), OWNER, OWNER);
    await Deno.writeTextFile(join(data, "streams", "users.json"), '{"users":[]}');
    assert.equal(JSON.parse(await brought()).texts.users, '{"users":[]}');
  },
);
