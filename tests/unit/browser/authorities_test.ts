import { strict as assert } from "node:assert";
import { join } from "node:path";
import { readAuthorities } from "../../../lib/browser/authorities.ts";
import { POLICIES, policyText } from "../../../lib/reach/policy.ts";
import { makeIssuer } from "../../support/certificates.ts";
import { tempDir } from "../../support/fixture.ts";
import { swappedAfterLook } from "../../support/swapped.ts";

Deno.test("own issuers: PEM files of the folder, several in one, each once; what is none is left out and said", async () => {
  await using dir = await tempDir();
  await using made = await tempDir();
  const [one, other] = [
    await makeIssuer(made.path),
    await makeIssuer(await Deno.makeTempDir({ dir: made.path })),
  ];
  const leaf = await one.issue("wall.example");
  const write = (name: string, text: string) => Deno.writeTextFile(join(dir.path, name), text);
  await write("b.pem", `for us:\n${one.ca}\n${other.ca}`);
  await write("c.CRT", one.ca);
  await write("readme.txt", leaf.cert);
  const { certificates, problems } = await readAuthorities(dir.path);
  assert.equal(certificates.length, 2);
  assert.deepEqual(problems, []);
  const der = one.ca.split("-----")[2].replace(/\s/g, "");
  assert.ok(certificates.includes(der));
  assert.deepEqual(JSON.parse(policyText(certificates)), { ...POLICIES, CACertificates: certificates });

  await write("leaf.pem", leaf.cert);
  await write("empty.pem", "");
  await write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----");
  await Deno.mkdir(join(dir.path, "folder.pem"));
  const again = await readAuthorities(dir.path);
  assert.equal(again.certificates.length, 2);
  const names = again.problems.map((text) => /(\w+)\.pem/.exec(text)![1]);
  assert.deepEqual(names, ["broken", "empty", "folder", "leaf"]);
});

Deno.test("own issuers: a folder that is not there has none", async () => {
  assert.deepEqual(await readAuthorities("/nowhere/ca"), { certificates: [], problems: [] });
});

Deno.test("own issuers: a file that grows after it was looked at is not read as a whole", async () => {
  await using dir = await tempDir();
  await using made = await tempDir();
  const { ca } = await makeIssuer(made.path);
  const path = join(dir.path, "a.pem");
  await Deno.writeTextFile(path, "");
  const grow = () => Deno.writeTextFileSync(path, ca + "x".repeat(300_000));
  const { certificates } = await swappedAfterLook(path, grow, () => readAuthorities(dir.path));
  assert.deepEqual(certificates, []);
});
