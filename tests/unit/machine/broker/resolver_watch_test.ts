import assert from "node:assert/strict";
import { join } from "node:path";
import { ResolverWatch } from "../../../../lib/machine/broker/resolver_watch.ts";
import { tempDir } from "../../../support/fixture.ts";

Deno.test("the kernel is told of name servers that change, once, and again when it refused them", async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "resolv.conf");
  const told: string[] = [];
  let isRefused = false;
  const watch = new ResolverWatch({
    file,
    allow: (resolvers) => {
      told.push(resolvers.join());
      return isRefused ? Promise.reject(new Error("refused")) : Promise.resolve();
    },
  });
  await watch.round(); // there is no file yet
  // as systemd-resolved has it: a link, which is replaced
  await Deno.writeTextFile(join(dir.path, "stub"), "nameserver 127.0.0.53\n");
  await Deno.symlink("stub", file);
  for (let round = 0; round < 2; round++) await watch.round();
  await Deno.writeTextFile(join(dir.path, "other"), "nameserver 10.0.0.2\n");
  await Deno.rename(join(dir.path, "other"), file);
  isRefused = true;
  await assert.rejects(watch.round());
  isRefused = false;
  for (let round = 0; round < 2; round++) await watch.round();
  assert.deepEqual(told, ["127.0.0.1,::1", "127.0.0.53", "10.0.0.2", "10.0.0.2"]);
});
