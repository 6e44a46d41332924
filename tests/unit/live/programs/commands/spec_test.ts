import assert from "node:assert/strict";
import { join } from "node:path";
import {
  parseSpec,
  readSpec,
  readSpecText,
  specFile,
  type StreamSpec,
  writeSpec,
} from "../../../../../lib/live/programs/commands/spec.ts";
import { streamId } from "../../../../../lib/model/id.ts";
import { inOwnProcess } from "../../../../support/own_process.ts";
import { run } from "../../../../../lib/machine/os/process.ts";
import { aStream, namesIn, tempDir } from "../../../../support/fixture.ts";
import { swappedAfterLook } from "../../../../support/swapped.ts";

const spec: StreamSpec = {
  stream: aStream({ pass: "s3cret", future: 1 }),
  display: 101,
  startedAt: 5,
};

Deno.test("a spec is read as it was written, and only its owner can read it", async () => {
  await using dir = await tempDir();
  await writeSpec(dir.path, spec);
  assert.deepEqual(await readSpec(dir.path, streamId("clock")), spec);
  assert.deepEqual(await namesIn(dir.path), ["clock.json"]);
  assert.equal((await Deno.stat(specFile(dir.path, streamId("clock")))).mode! & 0o777, 0o600);
});

Deno.test("a stream that does not run has none", async () => {
  await using dir = await tempDir();
  assert.equal(await readSpec(dir.path, streamId("clock")), null);
});

Deno.test({
  name:
    "root reads a spec with the web app's rights: no link leads it to what the web app cannot read [needs root]",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    await using dir = await tempDir();
    const [web, id] = [{ name: "web", uid: 60_600, gid: 60_600 }, streamId("clock")];
    const secret = join(dir.path, "secret");
    await Deno.writeTextFile(secret, "root's", { mode: 0o600 });
    await Deno.chmod(dir.path, 0o755);
    const specs = join(dir.path, "specs");
    await Deno.mkdir(specs);
    const file = specFile(specs, id);
    await Deno.chown(specs, web.uid, web.gid);
    const read = () =>
      inOwnProcess(
        "lib/live/programs/commands/spec.ts",
        `try { console.log(m.readSpecText(${JSON.stringify(specs)}, "clock", ${JSON.stringify(web)})); }
         catch (error) { console.log(error.message); }
         console.log(Deno.readTextFileSync(${JSON.stringify(secret)}));`, // root again
      );
    const cases: [make: () => Promise<unknown>, says: RegExp][] = [
      [() => Promise.resolve(), /not started/],
      [() => Deno.symlink(secret, file), /not started/],
      [() => Deno.link(secret, file), /denied/],
      [() => Deno.mkdir(file), /not started/],
      [() => run(["mkfifo", file], { timeoutMs: 1000 }), /not started/],
      [() => Deno.writeFile(file, new Uint8Array(2 * 1024 * 1024), { mode: 0o644 }), /not started/],
    ];
    for (const [make, says] of cases) {
      await make();
      const said = await read();
      assert.match(said, says);
      assert.ok(said.endsWith("\nroot's\n") && said.indexOf("root's") === said.length - 7, said);
      await Deno.remove(file).catch(() => {});
    }
    await writeSpec(specs, spec);
    await Deno.chown(file, web.uid, web.gid);
    assert.deepEqual(parseSpec((await read()).split("\n")[0]), spec);
  },
});

Deno.test("a link that takes a spec's place after it was looked at leads nowhere", async () => {
  await using dir = await tempDir();
  await writeSpec(dir.path, spec);
  const [path, other] = [specFile(dir.path, streamId("clock")), join(dir.path, "other")];
  await Deno.writeTextFile(other, "another's");
  const link = () => {
    Deno.removeSync(path);
    Deno.symlinkSync(other, path);
  };
  const me = { name: "me", uid: Deno.uid()!, gid: Deno.gid()! };
  const text = await swappedAfterLook(path, link, () => readSpecText(dir.path, streamId("clock"), me));
  assert.deepEqual(parseSpec(text), spec);
});
