import assert from "node:assert/strict";
import { join } from "node:path";
import { ConfigError, environmentOf, parseConfig } from "../../../lib/config.ts";
import { withoutSecrets } from "../../../lib/messages/request.ts";
import { readReceiver } from "../../../lib/messages/variables.ts";
import { storedReceiver } from "../../../lib/model/receivers.ts";
import { tempDir } from "../../support/fixture.ts";

const read = (env: Record<string, string>) => readReceiver(parseConfig(env));

Deno.test("without an address nobody is told", async () => {
  assert.equal(await read({}), null);
});

Deno.test("address and secret come from variables or files", async () => {
  await using dir = await tempDir();
  const [urlFile, secretFile] = ["url", "secret"].map((name) => join(dir.path, name));
  await Deno.writeTextFile(urlFile, "https://ntfy.sh/wall\n");
  await Deno.writeTextFile(secretFile, "s3cret\n");
  const expected = {
    ...storedReceiver.parse({ id: "0123456789ab", name: "Set by variables", way: "ntfy" }),
    id: "",
    address: "https://ntfy.sh/wall",
    secret: "s3cret",
  };
  const files = { WEBHOOK_URL_FILE: urlFile, WEBHOOK_SECRET_FILE: secretFile, WEBHOOK_FORMAT: "ntfy" };
  assert.deepEqual(await read(files), expected);
  const variables = {
    WEBHOOK_URL: " https://ntfy.sh/wall ",
    WEBHOOK_SECRET: "s3cret",
    WEBHOOK_FORMAT: "ntfy",
  };
  assert.deepEqual(await read(variables), expected);
  const again = environmentOf(parseConfig(variables));
  assert.deepEqual(await read(again), expected, "as a program below reads it");
});

const REFUSED: [Record<string, string>, RegExp][] = [
  [{ WEBHOOK_URL: "ntfy.sh/hidden" }, /not a web address/],
  [{ WEBHOOK_URL: "file:///hidden" }, /not a web address/],
  [{ WEBHOOK_URL: "https://hidden.example.org/", WEBHOOK_FORMAT: "ntfy" }, /has no ntfy topic/],
  [{ WEBHOOK_SECRET: "hidden" }, /WEBHOOK_URL is not/],
  [{ WEBHOOK_URL: "https://hidden.example.org/", WEBHOOK_URL_FILE: "/x" }, /are both set/],
  [{ WEBHOOK_URL: "https://hidden.example.org/", WEBHOOK_FORMAT: "teams" }, /^WEBHOOK_FORMAT="teams"/],
  [{ WEBHOOK_URL: "https://hidden.example.org/\u0007" }, /^WEBHOOK_URL="…"/],
];

for (const [env, problem] of REFUSED) {
  Deno.test(`${JSON.stringify(env)} stops the start with an example, and is not shown`, async () => {
    await assert.rejects(async () => await read(env), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, problem);
      assert.match(error.message, /Example: WEBHOOK_/);
      assert.doesNotMatch(error.message, /hidden/);
      return true;
    });
  });
}

const receiver = storedReceiver.parse({
  id: "0123456789ab",
  name: "Robot",
  way: "json",
  address: "https://anna:pa%20ss@hooks.example.org/services/T0AAA/B0BBB%C3%A9?token=Q1Q1&v=2",
  secret: "s3cret",
});

Deno.test("what a receiver says has nothing of its address but the host, and is one short line", () => {
  const said: [string, string][] = [
    ["invalid_token\n", "invalid_token"],
    ["no B0BBB%C3%A9 of T0AAA here", "no … of … here"],
    ["no B0BBBé", "no …"],
    [`POST ${receiver.address} failed`, "POST … failed"],
    [
      '{"topic":"B0BBBé","token":"Q1Q1","user":"anna","pass":"pa ss"}',
      '{"topic":"…","token":"…","user":"…","pass":"…"}',
    ],
    [`header: Basic ${btoa("anna:pa ss")}`, "header: Basic …"],
    ["signed with s3cret by hooks.example.org, v=2", "signed with … by hooks.example.org, v=2"],
    ["a\u0000b\r\n\tc", "a b c"],
    ["x".repeat(5000), "x".repeat(200)],
  ];
  for (const [text, expected] of said) assert.equal(withoutSecrets(text, receiver), expected);
});
