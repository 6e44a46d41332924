import { strict as assert } from "node:assert";
import { join } from "node:path";
import { claimData } from "../../../lib/cli/claims.ts";
import { parseConfig } from "../../../lib/config.ts";
import { pathsOf } from "../../../lib/paths.ts";
import { tempDir } from "../../support/fixture.ts";

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
