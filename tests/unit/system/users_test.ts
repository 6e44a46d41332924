import assert from "node:assert/strict";
import { join } from "node:path";
import { canReach, currentUser, findUser, pipelineUser } from "../../../lib/system/users.ts";
import { tempDir } from "../../support/fixture.ts";

const isRoot = Deno.uid() === 0;

Deno.test("users of this machine", async () => {
  assert.deepEqual(await findUser("root"), { name: "root", uid: 0, gid: 0 });
  for (const name of ["no-such-user", "roo", "root:x"]) assert.equal(await findUser(name), null, name);
  assert.equal((await currentUser()).uid, Deno.uid());
});

Deno.test("without root the pipeline runs as ourselves; with root never as root", async () => {
  if (!isRoot) return assert.equal((await pipelineUser("no-such-user")).uid, Deno.uid());
  await assert.rejects(pipelineUser("no-such-user"), /user no-such-user does not exist/);
  await assert.rejects(pipelineUser("root"), /choose another user/);
  assert.notEqual((await pipelineUser("nobody")).uid, 0);
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
