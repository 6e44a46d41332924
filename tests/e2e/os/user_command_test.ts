/** `browser-stream user`: people are added, changed and removed from the command line, whose arguments have no password. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { isPasswordOf } from "../../../lib/auth/password_hash.ts";
import { run } from "../../../lib/os/process.ts";
import { tempDir } from "../../support/fixture.ts";
import { SOURCE_PROGRAM } from "../../support/service.ts";

Deno.test("user: people are added, changed, listed and removed, and what is wrong changes nothing", async () => {
  await using dir = await tempDir();
  const user = async (args: string, typed = "") => {
    const result = await run([...SOURCE_PROGRAM, "user", ...args.split(" ")], {
      ...{ timeoutMs: 30_000, cwd: "/", input: new Blob([typed]).stream() },
      env: { DATA_DIR: dir.path, PATH: Deno.env.get("PATH")! },
    });
    return { code: result.code, text: result.stdout + result.stderr };
  };
  const stored = async () => JSON.parse(await Deno.readTextFile(join(dir.path, "streams/users.json"))).users;

  const first = await user("add vera", "a long password\n");
  assert.notEqual(first.code, 0);
  assert.match(first.text, /The first user must be an admin/);
  assert.match((await user("add cleo --role=admin", "a long password\n")).text, /^cleo is admin/m);
  assert.match((await user("add vera --role=operator", "one that is long\n")).text, /^vera is operator/m);
  assert.match((await user("password vera", "quite another one\n")).text, /^vera is operator/m);
  const vera = (await stored()).find(({ name }: { name: string }) => name === "vera");
  assert.ok(await isPasswordOf(vera.hash, "quite another one"));
  assert.match((await user("role vera viewer")).text, /^vera is viewer/m);
  assert.match((await user("list")).text, /^cleo {2}admin\nvera {2}viewer$/m);

  const before = await stored();
  for (
    const [args, typed, says] of [
      ["password vera", "short\n", /has 8 to/],
      ["password nobody", "a long password\n", /no user "nobody"/],
      ["role vera king", "", /viewer.*operator.*admin/s],
      ["role cleo viewer", "", /last admin/],
      ["remove cleo", "", /last admin/],
      ["add Vera --role=viewer", "a long password\n", /"vera" already/],
      ["add vera2 secret-as-argument", "", /Usage/],
    ] as const
  ) {
    const { code, text } = await user(args, typed);
    assert.notEqual(code, 0, args);
    assert.match(text, says, args);
  }
  assert.deepEqual(await stored(), before);
  assert.match((await user("remove vera")).text, /^vera is removed/m);
});
