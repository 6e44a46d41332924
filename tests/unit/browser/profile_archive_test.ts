/** What a page has stored goes from one profile to another: what matters, whole, and to no other place. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import {
  filesIn,
  MAX_STORED_BYTES,
  packProfile,
  TooMuchStoredError,
  unpackProfile,
} from "../../../lib/browser/profile_archive.ts";
import { isThere, tempDir } from "../../support/fixture.ts";

async function write(profile: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(profile, path)), { recursive: true });
    await Deno.writeTextFile(join(profile, path), text);
  }
}

/** All files below a folder, with what they say; links are not followed. */
function filesBelow(folder: string, above = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, isDirectory, isFile } of Deno.readDirSync(join(folder, above))) {
    const path = join(above, name);
    if (isDirectory) Object.assign(found, filesBelow(folder, path));
    else found[path] = isFile ? Deno.readTextFileSync(join(folder, path)) : "no file";
  }
  return found;
}

function profileTest(name: string, test: (from: string, to: string, outside: string) => Promise<void>): void {
  Deno.test(`stored: ${name}`, async () => {
    await using folder = await tempDir();
    const [from, to, outside] = ["from", "to", "outside"].map((one) => join(folder.path, one));
    for (const path of [from, to, outside]) await Deno.mkdir(path);
    await test(from, to, outside);
  });
}

const STORED = {
  "Default/Cookies": "session=1",
  "Default/Cookies-journal": "",
  "Default/Local Storage/leveldb/000003.log": "theme=dark",
  "Default/IndexedDB/https_a.example_0.indexeddb.leveldb/000003.log": "user",
  "Default/Login Data": "password",
};

profileTest("cookies, storage and passwords go along, caches and settings do not", async (from, to) => {
  await write(from, {
    ...STORED,
    "Default/Cache/Cache_Data/index": "cache",
    "Default/WebStorage/1/CacheStorage/index": "cache",
    "Default/WebStorage/1/IndexedDB/log": "bucket",
    "Default/Preferences": "{}",
    "Local State": "{}",
  });
  await write(to, {
    "Default/Cookies": "of an earlier stay",
    "Default/Session Storage/CURRENT": "of an earlier stay",
    "Default/Preferences": "own",
  });
  await unpackProfile(to, await packProfile(from));
  assert.deepEqual(filesBelow(to), {
    ...STORED,
    "Default/WebStorage/1/IndexedDB/log": "bucket",
    "Default/Preferences": "own",
  });
  assert.equal(Deno.statSync(join(to, "Default/Cookies")).mode! & 0o777, 0o600);
});

profileTest(
  "the same files are the same bytes, and an empty profile is one that can be brought",
  async (from, to) => {
    await write(from, STORED);
    assert.deepEqual(await packProfile(from), await packProfile(from));
    await write(to, STORED);
    await Deno.remove(from, { recursive: true });
    await Deno.mkdir(from);
    await unpackProfile(to, await packProfile(from));
    assert.deepEqual(filesBelow(to), {});
  },
);

profileTest("no link is followed, when it is packed and when it is unpacked", async (from, to, outside) => {
  await write(outside, { "secret": "of another", "leveldb/LOG": "of another" });
  await write(from, STORED);
  await Deno.remove(join(from, "Default/Login Data"));
  await Deno.symlink(join(outside, "secret"), join(from, "Default/Login Data"));
  await Deno.symlink(outside, join(from, "Default/Local Storage/more"));
  await Deno.symlink(outside, join(from, "Default/Session Storage"));
  const packed = await packProfile(from);
  await Deno.symlink(outside, join(to, "Default"));
  await unpackProfile(to, packed);
  const { "Default/Login Data": _, ...rest } = STORED;
  assert.deepEqual(filesBelow(to), rest);
  await Deno.remove(join(to, "Default/Local Storage"), { recursive: true });
  await Deno.symlink(outside, join(to, "Default/Local Storage"));
  await unpackProfile(to, packed);
  assert.deepEqual(filesBelow(to), rest);
  assert.deepEqual(filesBelow(outside), { "secret": "of another", "leveldb/LOG": "of another" });
});

/** An archive as somebody else would make it. */
async function archive(
  files: Record<string, string> | [path: string, text: string][],
): Promise<Uint8Array<ArrayBuffer>> {
  const parts = (Array.isArray(files) ? files : Object.entries(files)).flatMap(([path, text]) => {
    const head = new DataView(new ArrayBuffer(6));
    head.setUint16(0, path.length);
    head.setUint32(2, text.length);
    return [new Uint8Array(head.buffer), path, text];
  });
  return await new Response(new Blob(parts).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}

profileTest("what names another place, ends early or is too much changes nothing", async (from, to) => {
  await write(to, STORED);
  const good = await archive({ "Default/Cookies": "x" });
  const wrong = [
    ...["../Cookies", "/etc/passwd", "Default/../../x", "Default/Cookies/../../../x", "Default/Preferences"],
    ...[
      "Default/Local Storage/../../x",
      "Default/Local Storage//x",
      "Default/Local Storage/a\0b",
      "Local State",
    ],
    ...["Default/Cookies2", ""],
  ];
  for (const path of wrong) {
    const archived = await archive({ "Default/Cookies": "x", [path]: "y" });
    await assert.rejects(unpackProfile(to, archived), /does not belong to a page/, JSON.stringify(path));
  }
  const twice: [path: string, text: string][][] = [
    [["Default/Cookies", "x"], ["Default/Cookies", "y"]],
    [["Default/Network", "x"], ["Default/Network/a", "y"]],
    [["Default/Network/a", "x"], ["Default/Network", "y"]],
    [[`Default/Network/${"a/".repeat(17)}a`, "x"]],
    [[`Default/Network/${"a".repeat(1024)}`, "x"]],
  ];
  for (const files of twice) {
    await assert.rejects(
      unpackProfile(to, await archive(files)),
      /does not belong to a page/,
      files.map(([path]) => path).join(),
    );
  }
  const many = Array.from({ length: 10_001 }, (_, at): [string, string] => [`Default/Network/${at}`, ""]);
  await assert.rejects(unpackProfile(to, await archive(many)), TooMuchStoredError);
  await assert.rejects(unpackProfile(to, good.slice(0, -12)));
  await assert.rejects(unpackProfile(to, new Uint8Array([1, 2, 3])));
  const bomb = await archive({ "Default/Cookies": "x".repeat(2 * MAX_STORED_BYTES) });
  await assert.rejects(unpackProfile(to, bomb), TooMuchStoredError);
  assert.deepEqual(filesBelow(to), STORED);
  await write(from, STORED);
  await Deno.truncate(join(from, "Default/Login Data"), MAX_STORED_BYTES + 1);
  await assert.rejects(packProfile(from), /more than 32 MiB/);
  assert.ok(await isThere(join(from, "Default/Cookies")));
});

/** Zeros behind one head that says how many there are; the archive is a thousandth of it. */
async function bombOf(declared: number, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const path = "Default/Cookies";
  const head = new DataView(new ArrayBuffer(6));
  head.setUint16(0, path.length);
  head.setUint32(2, declared);
  const zeros = new Uint8Array(1024 * 1024);
  const parts = [
    new Uint8Array(head.buffer),
    path,
    ...Array.from({ length: bytes / zeros.length }, () => zeros),
  ];
  return await new Response(new Blob(parts).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}

Deno.test("stored: whatever is packed, little is held of it at once, and too much ends with its head", async () => {
  const MIB = 1024 * 1024;
  const packed = await bombOf(MAX_STORED_BYTES, MAX_STORED_BYTES);
  let all = 0, most = 0;
  for await (const { bytes } of filesIn(packed)) {
    all += bytes.length;
    most = Math.max(most, bytes.buffer.byteLength);
  }
  assert.equal(all, MAX_STORED_BYTES);
  assert.ok(most <= 2 * MIB, `${most} bytes at once`);
  for (const declared of [64 * MIB, MAX_STORED_BYTES + 1, 0]) {
    let seen = 0;
    await assert.rejects(async () => {
      for await (const { bytes } of filesIn(await bombOf(declared, 64 * MIB))) seen += bytes.length;
    }, declared === 0 ? /does not belong to a page/ : TooMuchStoredError);
    assert.equal(seen, 0);
  }
});
