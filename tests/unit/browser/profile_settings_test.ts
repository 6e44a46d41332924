import { strict as assert } from "node:assert";
import { join } from "node:path";
import { writeProfileSettings } from "../../../lib/browser/profile_settings.ts";
import { tempDir } from "../../support/fixture.ts";

const NONE = { user: "", pass: "", acceptedCertificates: "", language: "" };

async function settings(profile: string) {
  const read = async (...names: string[]) => JSON.parse(await Deno.readTextFile(join(profile, ...names)));
  return { local: await read("Local State"), own: await read("Default", "Preferences") };
}

Deno.test("profile settings: no way to log in without a login, no way past a warning without an accepted certificate", async () => {
  await using dir = await tempDir();
  await writeProfileSettings(dir.path, NONE);
  const closed = await settings(dir.path);
  assert.equal(closed.local.auth.schemes, "none");
  assert.equal(closed.own.ssl.error_override_allowed, false);
  await writeProfileSettings(dir.path, { ...NONE, user: "ops", acceptedCertificates: "a" });
  const open = await settings(dir.path);
  assert.equal(open.local.auth.schemes, "basic,digest,ntlm");
  assert.equal(open.own.ssl.error_override_allowed, true);
  await writeProfileSettings(dir.path, NONE, true);
  assert.equal((await settings(dir.path)).local.auth.schemes, "basic,digest,ntlm", "for a proxy's");
});

Deno.test("profile settings: what Chromium wrote stays, what is broken is made anew", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(join(dir.path, "Default"));
  await Deno.writeTextFile(join(dir.path, "Local State"), '{"auth":{"x":1},"y":[2]}');
  await Deno.writeTextFile(join(dir.path, "Default", "Preferences"), '{"half');
  await writeProfileSettings(dir.path, NONE);
  const { local, own } = await settings(dir.path);
  assert.deepEqual(local, { auth: { x: 1, schemes: "none" }, y: [2] });
  assert.deepEqual(own, {
    ssl: { error_override_allowed: false },
    intl: {},
    printing: { enabled: false },
    settings: { a11y: { caretbrowsing: { show_dialog: false, enabled: false } } },
  });
});

Deno.test("profile settings: a cursor that somebody turned on for all pages is gone at the next start", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(join(dir.path, "Default"));
  const before = { settings: { a11y: { x: 1, caretbrowsing: { enabled: true } } } };
  await Deno.writeTextFile(join(dir.path, "Default", "Preferences"), JSON.stringify(before));
  await writeProfileSettings(dir.path, NONE);
  const { x, caretbrowsing } = (await settings(dir.path)).own.settings.a11y;
  assert.deepEqual([x, caretbrowsing.enabled], [1, false]);
});

Deno.test("profile settings: the languages are the stream's, and Chromium's own again without them", async () => {
  await using dir = await tempDir();
  await writeProfileSettings(dir.path, { ...NONE, language: "de-DE, en" });
  const { own: { intl } } = await settings(dir.path);
  assert.deepEqual(intl, { accept_languages: "de-DE,en", selected_languages: "de-DE,en" });
  await writeProfileSettings(dir.path, NONE);
  assert.deepEqual((await settings(dir.path)).own.intl, {});
});
