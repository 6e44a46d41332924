import assert from "node:assert/strict";
import { join } from "node:path";
import { browserCommand, prepareFolders } from "../../../lib/pipeline/browser.ts";
import { aStream, namesIn, tempDir } from "../../support/fixture.ts";

function command(fields: Record<string, unknown> = {}, sandbox = true): string[] {
  const spec = { stream: aStream(), display: 101, startedAt: 0 };
  return browserCommand(
    { ...spec, stream: { ...spec.stream, ...fields } },
    "/data/profiles/clock",
    sandbox,
  );
}

// the schema refuses the first ones; the command must hold without it
const URLS = [
  "--remote-allow-origins=*",
  "-x",
  "$(reboot)",
  "https://a/?q=$(x)'\"; `y` %(ENV_x)s",
  "https://a b/",
];

Deno.test("the page's address is one element, the last, after --", () => {
  for (const url of URLS) {
    const argv = command({ url });
    assert.deepEqual(argv.slice(-2), ["--", url]);
    assert.equal(argv.indexOf("--"), argv.length - 2);
    assert.deepEqual(argv.slice(0, -1), command().slice(0, -1));
  }
});

Deno.test("profile, window and DevTools port are the stream's", () => {
  const argv = command({ resolution: "1920x1080" });
  for (
    const flag of [
      "--user-data-dir=/data/profiles/clock",
      "--window-size=1920,1080",
      "--remote-debugging-port=9301",
    ]
  ) {
    assert.ok(argv.includes(flag), flag);
  }
});

Deno.test("DevTools listens on loopback only, and pages cannot talk to it", () => {
  const argv = command();
  assert.ok(argv.includes("--remote-debugging-address=127.0.0.1"));
  assert.ok(!argv.some((word) => word.startsWith("--remote-allow-origins")));
  assert.ok(!argv.some((word) => word.startsWith("--disable-web-security")));
});

Deno.test("the sandbox and the GPU are off only when asked for", () => {
  assert.ok(!command().includes("--no-sandbox"));
  assert.ok(command({}, false).includes("--no-sandbox"));
  assert.ok(command().includes("--disable-gpu"));
  assert.ok(!command({ gpu: true }).includes("--disable-gpu"));
});

Deno.test("name and credentials are not on the command line: every user sees it", () => {
  const argv = command({ name: "N4me", user: "us3r", pass: "s3cret" }).join(" ");
  assert.doesNotMatch(argv, /N4me|us3r|s3cret/);
});

Deno.test("stale locks and temporary files go, everything else of the profile stays; new folders are private", async () => {
  await using dir = await tempDir();
  const [profile, temporary] = [join(dir.path, "profiles", "clock"), join(dir.path, "tmp", "7")];
  await prepareFolders(profile, temporary);
  for (const folder of [profile, temporary]) assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
  await Deno.mkdir(join(temporary, "org.chromium.Chromium.a1B2c3"));
  await Deno.writeTextFile(join(profile, "Cookies"), "x");
  await Deno.symlink("otherhost-812", join(profile, "SingletonLock")); // dangling, as Chromium's is
  await Deno.symlink("/nowhere", join(profile, "SingletonSocket"));
  await Deno.writeTextFile(join(profile, "SingletonCookie"), "x");
  await prepareFolders(profile, temporary);
  assert.deepEqual(await namesIn(profile), ["Cookies"]);
  assert.deepEqual(await namesIn(temporary), []);
});
