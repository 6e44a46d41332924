import { strict as assert } from "node:assert";
import { readListFile } from "../../../components/backup/backupFile.ts";

const file = (text: string | Uint8Array<ArrayBuffer>) => new File([text], "list.json");

Deno.test("a JSON file's text is read as it is, whatever it begins with", async () => {
  assert.equal(await readListFile(file('\uFEFF{"streams": []}')), '{"streams": []}');
  assert.equal(await readListFile(file("[]")), "[]");
  const fromPowerShell = Uint8Array.of(0xff, 0xfe, 0x5b, 0, 0x22, 0, 0xfc, 0, 0x22, 0, 0x5d, 0);
  assert.equal(await readListFile(file(fromPowerShell)), '["ü"]');
});

const REFUSED: [what: string, given: Parameters<typeof readListFile>[0], why: RegExp][] = [
  ["no JSON", file("{"), /^“list\.json” is not a JSON file: /],
  ["an empty file", file(""), /^“list\.json” is empty\.$/],
  [
    "another encoding",
    file(Uint8Array.of(0x22, 0xfc, 0x22)),
    /^“list\.json” is not in UTF-8, but .*Windows-1252.* Save it as UTF-8/,
  ],
  ["8 MiB and a byte", { ...sized(8 * 1024 * 1024 + 1) }, /larger than 8 MiB/],
  [
    "a file that went away",
    { ...sized(5), arrayBuffer: () => Promise.reject(new Error("gone")) },
    /cannot be read/,
  ],
];

function sized(size: number) {
  return {
    name: "list.json",
    size,
    arrayBuffer: () => Promise.resolve(new TextEncoder().encode("[]").buffer),
  };
}

for (const [what, given, why] of REFUSED) {
  Deno.test(`a list file is refused: ${what}`, async () => {
    await assert.rejects(readListFile(given), { message: why });
  });
}
