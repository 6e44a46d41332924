/** docs/pages.md has each page of the zoo, and no other. */
import { strict as assert } from "node:assert";
import { kinds } from "../support/zoo.ts";

Deno.test("docs/pages.md says of each page of the zoo what it shows, and of no other", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/pages.md", import.meta.url));
  const rows = text.split("\n").filter((line) => line.startsWith("|")).slice(2);
  const listed = rows.flatMap((row) =>
    [...row.split("|")[3].matchAll(/`([\w-]+)`/g)].map(([, name]) => name)
  );
  const names = (await kinds()).map(({ name }) => name);
  assert.deepEqual(listed.sort(), names.sort());
  assert.ok(names.length >= 45);
});
