import assert from "node:assert/strict";
import { join } from "node:path";
import { readClusterAccess } from "../../../../lib/door/access/cluster_access.ts";
import { loginText } from "../../../../lib/door/access/secret_file.ts";
import { tempDir } from "../../../support/fixture.ts";

const CLUSTER = ["nats://10.0.0.1:4222"];
const SECRET = "0123456789abcdef0123456789abcdef";

async function read(secret: string, login?: string) {
  await using dir = await tempDir();
  const [secretFile, loginFile] = [join(dir.path, "secret"), join(dir.path, "login")];
  await Deno.writeTextFile(secretFile, secret);
  if (login !== undefined) await Deno.writeTextFile(loginFile, login);
  const files = { CLUSTER_SECRET_FILE: secretFile, CLUSTER_LOGIN_FILE: login === undefined ? "" : loginFile };
  return await readClusterAccess({ CLUSTER, ...files });
}

Deno.test("a machine that is alone has no secret", async () => {
  const alone = { CLUSTER: [], CLUSTER_SECRET_FILE: "/nowhere", CLUSTER_LOGIN_FILE: "" };
  assert.equal(await readClusterAccess(alone), null);
});

Deno.test("secret and login are those of the files, and a login goes there and back", async () => {
  assert.deepEqual(await read(`${SECRET}\n`), { secret: SECRET, login: null });
  const login = { user: "node", pass: "a:b c" };
  assert.deepEqual(await read(SECRET, `${loginText(login)}\n`), { secret: SECRET, login });
});

Deno.test("a short secret, or a file that has no login, stops the start and is not in the message", async () => {
  const isPlain = (problem: RegExp) => (error: unknown) => {
    const { name, message } = error as Error;
    return name === "ConfigError" && problem.test(message) && !/hush/.test(message);
  };
  await assert.rejects(read("hush"), isPlain(/CLUSTER_SECRET_FILE=.*fewer than 32 characters.*openssl rand/));
  await assert.rejects(read(SECRET, "hush"), isPlain(/CLUSTER_LOGIN_FILE=.*is not user:password/));
  await assert.rejects(read(SECRET, "node:"), isPlain(/is not user:password/));
});
