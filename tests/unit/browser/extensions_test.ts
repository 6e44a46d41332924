/** Unpacked extensions: which are taken, where their copies are, and what a browser is told. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { checkExtensions } from "../../../lib/run/checks/software.ts";
import { installExtensions } from "../../../lib/run/extensions.ts";
import { unpackedProblem } from "../../../lib/reach/extension_policy.ts";
import { parseConfig } from "../../../lib/config.ts";
import { pathsOf } from "../../../lib/paths.ts";
import { extensionFlags, parseManifest, readExtensions } from "../../../lib/browser/extensions.ts";
import { POLICIES, policyText } from "../../../lib/reach/policy.ts";
import { namesIn, tempDir } from "../../support/fixture.ts";
import { swappedAfterLook } from "../../support/swapped.ts";

const MANIFEST = JSON.stringify({ manifest_version: 3, name: "Tint", version: "1.0" });

async function addFile(folder: string, name: string, text: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, name), text);
}

/** The policies of another program. */
const OTHERS = '{"ExtensionInstallBlocklist": ["*"]}';

Deno.test("extensions: a browser is given checked names of one folder, and without any no flag", () => {
  assert.deepEqual(extensionFlags("/data/extensions", []), []);
  assert.deepEqual(extensionFlags("/data/extensions", ["tint", "dark-page"]), [
    "--load-extension=/data/extensions/tint,/data/extensions/dark-page",
  ]);
  assert.deepEqual(extensionFlags("/data/extensions", ["../x", "a,b", "/etc", ""]), []);
});

Deno.test("extensions: a manifest that Chromium would not take is refused, and its name is one line", () => {
  for (
    const text of [
      "",
      "{",
      "[]",
      "null",
      '{"manifest_version": 2, "name": "A", "version": "1"}',
      '{"manifest_version": 3}',
    ]
  ) {
    assert.throws(() => parseManifest(text, "tint"), Error, text);
  }
  const named = (name: string) =>
    parseManifest(JSON.stringify({ manifest_version: 3, name, version: "1" }), "tint").title;
  assert.deepEqual([named("A\n  B"), named("__MSG_name__"), named(" ")], ["A B", "tint", "tint"]);
});

Deno.test("extensions: copies are everybody's to read and nobody's to write; links and what is broken are left out", async () => {
  await using dir = await tempDir();
  const paths = {
    givenExtensionsDir: join(dir.path, "given"),
    extensionsDir: join(dir.path, "config", "copies"),
  };
  const given = (name: string) => join(paths.givenExtensionsDir, name);
  assert.deepEqual(await installExtensions(paths), []);
  await addFile(given("tint"), "manifest.json", MANIFEST);
  await addFile(join(given("tint"), "icons"), "a.png", "x");
  await Deno.chmod(join(given("tint"), "icons"), 0o700);
  await Deno.chmod(join(given("tint"), "icons", "a.png"), 0o600);
  await addFile(given("linked"), "manifest.json", MANIFEST);
  await Deno.symlink("/etc/shadow", join(given("linked"), "secret.txt"));
  await Deno.symlink(given("tint"), given("alias"));
  await addFile(given("old"), "manifest.json", MANIFEST.replace("3", "2"));
  await addFile(given("no manifest"), "x", "");
  await Deno.writeTextFile(given("README"), "");
  const problems = await installExtensions(paths);
  assert.deepEqual(await namesIn(paths.extensionsDir), ["tint"]);
  for (const name of ["linked", "alias", "old", "no manifest"]) {
    assert.ok(problems.some((problem) => problem.startsWith(`${given(name)}: `)), `${name}: ${problems}`);
  }
  assert.equal(problems.length, 4);
  const modeOf = (...path: string[]) =>
    Deno.statSync(join(paths.extensionsDir, "tint", ...path)).mode! & 0o777;
  assert.deepEqual([modeOf(), modeOf("icons"), modeOf("icons", "a.png")], [0o755, 0o755, 0o644]);
  assert.deepEqual((await readExtensions(paths.extensionsDir)).extensions, [
    { name: "tint", title: "Tint", version: "1.0" },
  ]);
  await Deno.remove(given("tint"), { recursive: true });
  await installExtensions(paths);
  assert.deepEqual((await readExtensions(paths.extensionsDir)).extensions, [], "what is gone is gone");
});

Deno.test("extensions: the policies let in those of the command line, and keep out the Web Store's", async () => {
  const blocked = POLICIES.URLBlocklist as string[];
  assert.deepEqual(blocked.slice(-2), ["chromewebstore.google.com", "chrome.google.com/webstore"]);
  assert.equal(POLICIES.ExtensionInstallBlocklist, undefined);
  await using dir = await tempDir();
  assert.equal(await unpackedProblem(join(dir.path, "nowhere")), null);
  await Deno.writeTextFile(join(dir.path, "ours.json"), policyText());
  await Deno.writeTextFile(join(dir.path, "broken.json"), "{");
  assert.equal(await unpackedProblem(dir.path), null);
  await Deno.writeTextFile(join(dir.path, "others.json"), OTHERS);
  assert.match(String(await unpackedProblem(dir.path)), /others\.json block all/);
});

Deno.test("doctor: extensions that are broken, newer than the start, or blocked are told", async () => {
  await using dir = await tempDir();
  const config = parseConfig({ DATA_DIR: dir.path, CHROMIUM_POLICY_DIR: join(dir.path, "policies") });
  const paths = pathsOf(config);
  const given = join(paths.givenExtensionsDir, "tint");
  const seen = async (isRunning: boolean) => {
    const { state, says } = await checkExtensions(config, isRunning);
    return [state, says];
  };
  assert.deepEqual(await seen(true), ["ok", `there is none in ${paths.givenExtensionsDir}`]);
  await addFile(given, "manifest.json", MANIFEST);
  assert.deepEqual(await seen(false), ["ok", "tint"]);
  assert.deepEqual(await seen(true), ["warning", `${paths.givenExtensionsDir} has changed since the start`]);
  await installExtensions(paths);
  assert.deepEqual(await seen(true), ["ok", "tint"]);
  await addFile(config.CHROMIUM_POLICY_DIR, "others.json", OTHERS);
  assert.match((await seen(true)).join(), /warning,browsers do not load them: .*others\.json/);
  await addFile(given, "manifest.json", "{");
  assert.match((await seen(false)).join(), /warning,an extension is not used: .*tint/);
});

Deno.test("extensions: a link that takes the manifest's place after it was looked at leads nowhere", async () => {
  await using dir = await tempDir();
  const [folder, other] = [join(dir.path, "tint"), join(dir.path, "other.json")];
  await addFile(folder, "manifest.json", MANIFEST);
  await Deno.writeTextFile(other, MANIFEST.replace("Tint", "Other"));
  const path = join(folder, "manifest.json");
  const link = () => {
    Deno.removeSync(path);
    Deno.symlinkSync(other, path);
  };
  const { extensions } = await swappedAfterLook(path, link, () => readExtensions(dir.path));
  assert.ok(extensions.every(({ title }) => title === "Tint"), JSON.stringify(extensions));
});
