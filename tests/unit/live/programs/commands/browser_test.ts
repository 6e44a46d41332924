import assert from "node:assert/strict";
import { join } from "node:path";
import { browserCommand, prepareFolders } from "../../../../../lib/live/programs/commands/browser.ts";
import { NOWHERE } from "../../../../../lib/reach/packet_rules.ts";
import { aStream, namesIn, tempDir } from "../../../../support/fixture.ts";

function command(fields: Record<string, unknown> = {}, sandbox = true): string[] {
  const spec = { stream: aStream(), display: 101, startedAt: 0 };
  return browserCommand(
    { ...spec, stream: { ...spec.stream, ...fields } },
    "/data/profiles/clock",
    sandbox,
    {
      walls: null,
      local: [],
      ownNames: ["wall"],
      ownAddresses: ["192.0.2.2", "2001:db8::2"],
      neighbours: [],
      isLan: false,
      way: null,
      proxies: [],
    },
  );
}

Deno.test("no text of a person is on the command line: every user of the machine sees it", () => {
  const secrets = { name: "N4me", user: "us3r", pass: "s3cret", url: "https://a.example/?t0ken" };
  assert.deepEqual(command(secrets), command());
  assert.deepEqual(command().slice(-2), ["--", "about:blank"]);
});

Deno.test("profile and window are the stream's", () => {
  const argv = command({ resolution: "1920x1080" });
  for (
    const flag of [
      "--user-data-dir=/data/profiles/clock",
      "--window-size=1920,1080",
    ]
  ) {
    assert.ok(argv.includes(flag), flag);
  }
});

Deno.test("DevTools is a pipe and has no port, so that neither pages nor users of this machine can talk to it", () => {
  const argv = command();
  const debugging = argv.filter((word) => word.startsWith("--remote-debugging"));
  assert.deepEqual(debugging, ["--remote-debugging-pipe"]);
  assert.ok(!argv.some((word) => word.startsWith("--remote-allow-origins")));
  assert.ok(!argv.some((word) => word.startsWith("--disable-web-security")));
});

Deno.test("the sandbox and the GPU are off only when asked for", () => {
  assert.ok(!command().includes("--no-sandbox"));
  assert.ok(command({}, false).includes("--no-sandbox"));
  assert.ok(command().includes("--disable-gpu"));
  assert.ok(!command({ gpu: true }).includes("--disable-gpu"));
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

Deno.test("without rules of the kernel WebRTC goes, by an extension of ours beside the stream's own, and no UDP; a stream that asks keeps it", () => {
  const spec = { stream: aStream(), display: 101, startedAt: 0 };
  const own = { dir: "/config/extensions", names: ["tint"] };
  const argv = browserCommand(spec, "/p", true, NOWHERE, own, null, "/config/without-webrtc");
  const words = [
    "--load-extension=/config/without-webrtc,/config/extensions/tint",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  ];
  assert.deepEqual(words.filter((word) => !argv.includes(word)), []);
  assert.ok(!command().some((word) => /load-extension|webrtc/.test(word)));

  const asks = { ...spec, stream: aStream({ webRtc: true }) };
  const kept = browserCommand(asks, "/p", true, NOWHERE, own, null, "/config/without-webrtc");
  assert.ok(kept.includes("--load-extension=/config/extensions/tint"));
  assert.ok(!kept.some((word) => /webrtc/.test(word)));
});

Deno.test("a stream with sound has the extension that mutes the tabs behind, one without has none", () => {
  const flags = (audio: boolean) => {
    const spec = { stream: aStream({ audio }), display: 101, startedAt: 0 };
    const argv = browserCommand(spec, "/p", true, NOWHERE, undefined, "/config/front-sound");
    return argv.filter((word) => word.startsWith("--load-extension"));
  };
  assert.deepEqual([flags(true), flags(false)], [["--load-extension=/config/front-sound"], []]);
});

Deno.test("no folder with a comma in its path is among the extensions, whose list has commas", () => {
  const spec = { stream: aStream({ audio: true }), display: 101, startedAt: 0 };
  const own = { dir: "/a,b/extensions", names: ["tint"] };
  const argv = browserCommand(spec, "/p", true, NOWHERE, own, "/a,b/front-sound", "/a,b/without-webrtc");
  assert.deepEqual(argv.filter((word) => word.startsWith("--load-extension")), []);
});
