/** The operator's own browser extensions: which there are, who may choose which, and what is told. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { streamId } from "../../lib/model/id.ts";
import { appTest, testApp } from "../support/app.ts";
import { addExtension } from "../support/extension.ts";
import { tempDir } from "../support/fixture.ts";

appTest("extensions that are there are told, and no others can be chosen", async (app) => {
  assert.deepEqual((await app.api("GET", "/api/extensions")).json, []);
  const none = await app.api("POST", "/api/streams", {
    name: "A",
    url: "https://a.example/",
    extensions: "tint",
  });
  assert.deepEqual(none.json.error.fields, {
    extensions: 'There is no extension "tint". The service has none.',
  });
  await addExtension(app.paths, "tint");
  await addExtension(app.paths, "dark-page");
  await addExtension(app.paths, "old", { manifest_version: 2 });
  await Deno.mkdir(join(app.paths.extensionsDir, "empty"));
  assert.deepEqual((await app.api("GET", "/api/extensions")).json, [
    { name: "dark-page", title: "The dark-page", version: "1.0" },
    { name: "tint", title: "The tint", version: "1.0" },
  ]);
  const { extensions, id } = await app.create({ extensions: ["tint", "dark-page", "tint"] });
  assert.equal(extensions, "tint dark-page");
  for (const wrong of ["old", "empty", "../tint", "/etc", "tint,../x", ["x/y"], "tint --no-sandbox"]) {
    const { status, json } = await app.api("PATCH", `/api/streams/${id}`, { extensions: wrong });
    assert.deepEqual([status, Object.keys(json.error.fields)], [400, ["extensions"]], String(wrong));
  }
  // what has been chosen stays when its folder is gone
  await Deno.remove(join(app.paths.extensionsDir, "tint"), { recursive: true });
  assert.equal(
    (await app.api("PUT", `/api/streams/${id}`, { name: "B", url: "https://b.example/", extensions })).status,
    200,
  );
});

Deno.test("a stream's events say which of its extensions are missing, and that policies block them", async () => {
  await using policies = await tempDir("/dev/shm");
  await using app = await testApp({ env: { CHROMIUM_POLICY_DIR: policies.path } });
  await addExtension(app.paths, "tint");
  await addExtension(app.paths, "gone");
  const { id } = await app.create({ extensions: "tint gone", desiredState: "stopped" });
  const stream = { id: streamId(id), extensions: "tint gone" };
  const texts = async () =>
    (await app.api("GET", `/api/streams/${id}/events`)).json.events.map(({ text }: { text: string }) => text);
  const before = (await texts()).length;
  await app.service.extensions.tell(stream);
  assert.equal((await texts()).length, before);
  await Deno.remove(join(app.paths.extensionsDir, "gone"), { recursive: true });
  await Deno.writeTextFile(join(policies.path, "others.json"), '{"ExtensionInstallBlocklist": ["*"]}');
  await app.service.extensions.tell(stream);
  const told = (await texts()).join("\n");
  assert.match(told, /The extension "gone" is missing/);
  assert.ok(!told.includes('"tint" is missing'));
  assert.match(told, /refuses its extensions from .*: the policies in .*others\.json block all of them/);
});
