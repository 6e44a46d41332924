import assert from "node:assert/strict";
import { join } from "node:path";
import { areRight, readCredentials } from "../../../../lib/door/access/credentials.ts";
import { ConfigError, parseConfig } from "../../../../lib/config.ts";
import { tempDir } from "../../../support/fixture.ts";

const ANNA = { user: "anna", pass: "correct horse" };

Deno.test("without variables the login is off", async () => {
  assert.equal(await readCredentials(parseConfig({})), null);
});

Deno.test("the credentials come from variables or files, and a file's last newline is none of theirs", async () => {
  await using dir = await tempDir();
  const [userFile, passFile] = ["user", "pass"].map((name) => join(dir.path, name));
  for (const ending of ["", "\n", "\r\n"]) {
    await Deno.writeTextFile(userFile, `anna${ending}`);
    await Deno.writeTextFile(passFile, ` two blanks ${ending}`);
    const files = { AUTH_USER_FILE: userFile, AUTH_PASS_FILE: passFile };
    assert.deepEqual(await readCredentials(parseConfig(files)), { user: "anna", pass: " two blanks " });
  }
  const mixed = { AUTH_USER: "anna", AUTH_PASS_FILE: passFile };
  assert.deepEqual(await readCredentials(parseConfig(mixed)), { user: "anna", pass: " two blanks " });
  assert.deepEqual(await readCredentials(parseConfig({ AUTH_USER: "anna", AUTH_PASS: ANNA.pass })), ANNA);
});

Deno.test("a file that is missing, empty or has several lines stops the start, and its content is not shown", async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "pass");
  const config = parseConfig({ AUTH_USER: "anna", AUTH_PASS_FILE: file });
  const says = async (problem: RegExp) => {
    await assert.rejects(readCredentials(config), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.ok(error.message.startsWith(`AUTH_PASS_FILE=${file} `), error.message);
      assert.match(error.message, problem);
      assert.match(error.message, /Example: AUTH_PASS_FILE=/);
      assert.doesNotMatch(error.message, /hunter/);
      return true;
    });
  };
  await says(/cannot be read/);
  for (const blank of ["", "\n", "  \n"]) {
    await Deno.writeTextFile(file, blank);
    await says(/is empty/);
  }
  for (const text of ["hunter2\nhunter3\n", "hunter\0", "hunter\n\n"]) {
    await Deno.writeTextFile(file, text);
    await says(/more than one line/);
  }
});

Deno.test("both have to be right; how an accent was typed and blanks around the name do not matter", () => {
  assert.ok(areRight({ ...ANNA }, ANNA));
  assert.ok(areRight({ ...ANNA, user: " anna " }, ANNA));
  assert.ok(areRight({ user: "rene\u0301", pass: "e\u0301" }, { user: "ren\u00e9", pass: "\u00e9" }));
  const wrong = [
    { user: "anna", pass: "" },
    { user: "", pass: "" },
    { user: "", pass: ANNA.pass },
    { user: "Anna", pass: ANNA.pass },
    { user: "anna", pass: "correct horse " },
    { user: "anna", pass: "Correct horse" },
    { user: "anna", pass: "correct horse".repeat(1000) },
    { user: ANNA.pass, pass: ANNA.user },
  ];
  for (const typed of wrong) assert.equal(areRight(typed, ANNA), false, JSON.stringify(typed).slice(0, 80));
});
