import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { readSecretFile } from "../../../../lib/door/access/secret_file.ts";
import { run } from "../../../../lib/machine/os/process.ts";
import { tempDir } from "../../../support/fixture.ts";

Deno.test("a secret may be behind a link, but is a regular file of some kB, and nobody waits for another", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "secret");
  const read = () => readSecretFile("AUTH_PASS_FILE", path, "/run/secrets/password");
  await Deno.writeTextFile(join(dir.path, "..data"), "a b\n");
  await Deno.symlink("..data", path);
  assert.equal(await read(), "a b");
  const others: [why: RegExp, make: () => Promise<unknown>][] = [
    [/no regular file/, () => run(["mkfifo", path], { timeoutMs: 1000 })],
    [/no regular file/, () => Deno.mkdir(path)],
    [/no regular file/, () => Deno.symlink("/dev/zero", path)],
    [/Windows-1252.*Save it as UTF-8/, () => Deno.writeFile(path, Uint8Array.of(0x70, 0xe4, 0x0a))],
    [/more than 16 KiB/, () => Deno.writeTextFile(path, "x".repeat(16 * 1024 + 1))],
  ];
  for (const [why, make] of others) {
    await Deno.remove(path);
    await make();
    await assert.rejects(read(), why);
  }
});

Deno.test("a secret that PowerShell has written is the one that was typed", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "secret");
  const text = "p\u00e4ss \u6771\r\n";
  for (const swap of [false, true]) {
    const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
    await Deno.writeFile(path, swap ? bytes.swap16() : bytes);
    assert.equal(await readSecretFile("AUTH_PASS_FILE", path, "/run/secrets/password"), "p\u00e4ss \u6771");
  }
});
