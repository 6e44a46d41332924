/** Connections to displays that are not what they should be: a page that broke out could have taken its X server's place. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { pair, readCookie, request, XConnection } from "../../../lib/x11/connection.ts";
import { newXauthority } from "../../../lib/pipeline/xauth.ts";
import { tempDir } from "../../support/fixture.ts";

/** A server's greeting: one screen of 320x200, 24 bits deep, whose root is window 9. */
function greeting(): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(8 + 32 + 40);
  const view = new DataView(message.buffer);
  view.setUint8(0, 1);
  view.setUint16(6, (32 + 40) / 4, true);
  view.setUint32(8 + 4, 0x200000, true);
  const screen = 8 + 32;
  view.setUint32(screen, 9, true);
  view.setUint16(screen + 20, 320, true);
  view.setUint16(screen + 22, 200, true);
  view.setUint8(screen + 38, 24);
  return message;
}

/** A message of 32 bytes. */
function message(code: number, sequence: number, more = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, code);
  view.setUint16(2, sequence, true);
  view.setUint32(4, more, true);
  return bytes;
}

/** A display whose server says these things: a greeting, then one thing for each request. */
async function withDisplay(
  says: Uint8Array<ArrayBuffer>[],
  test: (path: string, heard: Uint8Array[]) => Promise<void>,
): Promise<void> {
  await using dir = await tempDir();
  const path = join(dir.path, "X1");
  using listener = Deno.listen({ transport: "unix", path });
  const heard: Uint8Array[] = [];
  const serving = (async () => {
    using connection = await listener.accept();
    const buffer = new Uint8Array(4096);
    for (const one of says) {
      const length = await connection.read(buffer);
      if (length === null) return;
      heard.push(buffer.slice(0, length));
      await connection.write(one);
    }
    while (await connection.read(buffer).catch(() => null) !== null);
  })();
  await test(path, heard);
  await serving;
}

const KEY = new Uint8Array(16).fill(7);

Deno.test("display: the key is shown, and the screen is known", () =>
  withDisplay([greeting(), message(1, 1)], async (path, heard) => {
    using display = await XConnection.open(path, KEY);
    await display.done();
    assert.deepEqual([display.root, display.width, display.height, display.depth], [9, 320, 200, 24]);
    assert.deepEqual([...heard[0].subarray(-16)], [...KEY]);
    assert.equal(display.newId(), 0x200001);
  }));

Deno.test("display: what the server refuses is an error of the next answer", () =>
  withDisplay([greeting(), message(0, 1)], async (path) => {
    using display = await XConnection.open(path, KEY);
    await assert.rejects(display.done(), /refused request/);
  }));

Deno.test("display: an answer that is too long, and an end, close the connection", async () => {
  const tooLong = message(1, 1, 1_000_000);
  for (const says of [[greeting(), tooLong], [greeting()]]) {
    await withDisplay(says, async (path) => {
      using display = await XConnection.open(path, KEY);
      const answer = assert.rejects(display.done(), /closed|does not answer/);
      if (says.length === 1) display[Symbol.dispose]();
      await answer;
      await display.ended;
      assert.equal(display.isOpen, false);
    });
  }
});

Deno.test("display: who is refused, or greeted with nonsense, has no connection", async () => {
  const refusal = new Uint8Array(8);
  const huge = greeting();
  new DataView(huge.buffer).setUint16(6, 0xffff, true);
  const cut = greeting();
  new DataView(cut.buffer).setUint16(8 + 16, 60_000, true); // a vendor's name beyond the end
  for (const first of [refusal, huge, cut]) {
    await withDisplay([first], (path) => assert.rejects(XConnection.open(path, KEY), /refused|no screen/));
  }
});

Deno.test("display: a request is counted in words, with its bytes filled up", () => {
  assert.deepEqual([...request(98, 1, [pair(1, -1)], Uint8Array.of(5))], [
    ...[98, 1, 3, 0],
    ...[1, 0, 255, 255],
    ...[5, 0, 0, 0],
  ]);
});

Deno.test("display: the key is what stands in our Xauthority files; a link is not followed", async () => {
  await using dir = await tempDir();
  const [path, link] = [join(dir.path, "key"), join(dir.path, "link")];
  const file = newXauthority();
  await Deno.writeFile(path, file);
  await Deno.symlink(path, link);
  assert.deepEqual(await readCookie(path), file.subarray(-16));
  await assert.rejects(readCookie(link), /no key/);
  await assert.rejects(readCookie(join(dir.path, "none")), /no key/);
});
