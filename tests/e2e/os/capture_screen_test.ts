/** Reading a display: with what Xvnc has said once, and with servers that refuse. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Screen } from "../../../lib/display/capture/screen.ts";
import { MEMORY_NAME } from "../../../lib/display/capture/shared_memory.ts";
import { captureDisplay, countMemoryAlone, ownMemory } from "../../support/capture_display.ts";
import { root } from "../../support/fixture.ts";
import {
  errorBytes,
  greetingBytes,
  type Received,
  replyBytes,
  startXServer,
} from "../../support/x_server.ts";

countMemoryAlone();

const COOKIE = new Uint8Array(16);
const SIZE = { width: 64, height: 36 };

Deno.test("screen: what it says to Xvnc, and makes of the answers, is as recorded", async () => {
  const text = await Deno.readTextFile(join(root, "tests/fixtures/x-server.json"));
  const recorded: { greeting: string; requests: string[]; messages: string[] } = JSON.parse(text);
  const { requests } = recorded;
  const messages = recorded.messages.map((hex) => Uint8Array.fromHex(hex));
  const wrong: string[] = [];
  await using server = await startXServer((request) => {
    const hex = request.bytes.toHex();
    if (hex !== requests[request.sequence - 1]) wrong.push(hex);
    const own = messages.filter((message) => (message[2] | message[3] << 8) === request.sequence);
    return new Uint8Array(own.flatMap((message) => [...message]));
  }, { greeting: Uint8Array.fromHex(recorded.greeting), chunk: 100 });
  // the memory was handed over on a connection of its own, and has the id that is asked for
  const GET_IMAGE = "8304", SEGMENT_AT = 24;
  const image = Uint8Array.fromHex(requests.find((hex) => hex.startsWith(GET_IMAGE))!);
  const id = new DataView(image.buffer).getUint32(SEGMENT_AT, true);
  const attach = () => Promise.resolve({ id, [Symbol.dispose]() {} });
  using screen = await Screen.open(server.path, COOKIE, { width: 640, height: 360 }, attach);
  assert.deepEqual(screen.size, { width: 640, height: 360 });
  assert.deepEqual(await screen.readChanges(), { top: 0, bottom: 360 }, "all that was there before");
  assert.deepEqual(await screen.readChanges(), { top: 100, bottom: 130 });
  assert.equal(await screen.readChanges(), null);
  assert.deepEqual(wrong, []);
  assert.equal(server.received.length, requests.length);
  assert.equal(screen.pixels({ top: 100, bottom: 130 }).length, 30 * 640 * 4);
  screen[Symbol.dispose]();
  await screen.ended;
  assert.throws(() => screen.pixels({ top: 0, bottom: 1 }), /given back/);
  assert.equal(ownMemory(), 0);
});

Deno.test("screen: a display without what it needs is refused, and nothing is left", async () => {
  const SHM = 130, DAMAGE = 143;
  const refusals: [(request: Received) => Uint8Array | undefined, RegExp][] = [
    [({ major, sequence }) => major === 98 ? replyBytes(sequence) : undefined, /has no MIT-SHM/],
    [
      ({ major, minor, sequence }) =>
        major === SHM && minor === 6 ? errorBytes(sequence, 10, SHM, 6) : undefined,
      /refused request 130.6: error 10/,
    ],
    [
      ({ major, minor, sequence }) =>
        major === SHM && minor === 0 ? replyBytes(sequence, [1, 0, 1, 0]) : undefined,
      /takes no files/,
    ],
    [
      ({ major, minor, sequence }) =>
        major === DAMAGE && minor === 1 ? errorBytes(sequence, 11, DAMAGE, 1) : undefined,
      /refused request 143.1: error 11/,
    ],
    [
      ({ major, minor, sequence }) =>
        major === SHM && minor === 4 ? errorBytes(sequence, 8, SHM, 4) : undefined,
      /refused request 130.4: error 8/,
    ],
  ];
  for (const [refuse, message] of refusals) {
    await using server = await captureDisplay(refuse);
    await assert.rejects(Screen.open(server.path, COOKIE, SIZE), message);
    assert.equal(ownMemory(), 0);
  }
  await using other = await captureDisplay(undefined, greetingBytes({ bitsPerPixel: 16 }));
  await assert.rejects(Screen.open(other.path, COOKIE, SIZE), /another kind/);
});

Deno.test("screen: what says that it is of another size is refused before any memory is made for it", async () => {
  for (const [width, height] of [[20_000, 20_000], [65_535, 65_535], [65, 36], [0, 0]]) {
    await using server = await captureDisplay(undefined, greetingBytes({ width, height }));
    await assert.rejects(Screen.open(server.path, COOKIE, SIZE), /should be 64x36/);
    assert.equal(ownMemory(), 0);
    assert.deepEqual(server.reads, []);
  }
});

Deno.test("screen: rows outside of the display are left out", async () => {
  await using server = await captureDisplay();
  using screen = await Screen.open(server.path, COOKIE, SIZE);
  await screen.readChanges();
  await server.damage(30, 90);
  assert.deepEqual(await screen.readChanges(), { top: 30, bottom: 36 });
  await server.damage(200, 300);
  assert.equal(await screen.readChanges(), null);
  assert.deepEqual(server.reads, [[0, 36], [0, 36], [30, 6]]);
  screen[Symbol.dispose]();
  await screen.ended;
});

Deno.test("screen: its memory cannot be made shorter by whom it was handed to, and is only read by us", async () => {
  let sizes: (number | null)[] = [];
  await using server = await captureDisplay(({ major, minor }) => {
    if (major !== 130 || minor !== 6) return undefined;
    const links = [...Deno.readDirSync("/proc/self/fd")].map(({ name }) => `/proc/self/fd/${name}`);
    sizes = links.filter(isMemory).map((path) => {
      // as the server could
      assert.throws(() => Deno.truncateSync(path, 10));
      return Deno.statSync(path).size;
    });
    return undefined;
  });
  using screen = await Screen.open(server.path, COOKIE, SIZE);
  assert.ok(sizes.length > 0 && sizes.every((size) => size === 64 * 36 * 4), `${sizes}`);
  const maps = Deno.readTextFileSync("/proc/self/maps").split("\n").filter((one) =>
    one.includes(MEMORY_NAME)
  );
  assert.deepEqual(maps.map((line) => line.split(" ")[1]), ["r--s"]);
  screen[Symbol.dispose]();
  await screen.ended;
});

/** Whether an open file is a display's memory. */
function isMemory(path: string): boolean {
  try {
    return Deno.readLinkSync(path).includes(MEMORY_NAME);
  } catch {
    return false;
  }
}
