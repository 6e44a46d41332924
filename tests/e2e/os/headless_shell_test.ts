import assert from "node:assert/strict";

async function versionOf(program: string): Promise<string | undefined> {
  const { stdout } = await new Deno.Command(program, { args: ["--version"], stderr: "null" }).output();
  return /\d+(?:\.\d+){3}/.exec(new TextDecoder().decode(stdout))?.[0];
}

Deno.test("the pages are tested in the engine of the browser that streams run: of one version", async () => {
  const version = await versionOf("/usr/bin/chromium");
  assert.ok(version);
  assert.equal(await versionOf("/usr/bin/chromium-headless-shell"), version);
});
