import { strict as assert } from "node:assert";
import { MOTION, PictureRelay, PictureViewer } from "../../../../lib/channel/pictures/picture_relay.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { until } from "../../../support/same.ts";

/** A display whose pictures a test makes. */
function testDisplay() {
  const grabs: { fps: number; signal: AbortSignal; send(byte: number): void; end(): void }[] = [];
  async function* source(fps: number, signal: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const queue: (Uint8Array<ArrayBuffer> | null)[] = [];
    let wake = () => {};
    const put = (item: Uint8Array<ArrayBuffer> | null) => {
      queue.push(item);
      wake();
    };
    signal.addEventListener("abort", () => put(null));
    grabs.push({
      fps,
      signal,
      send: (byte) => put(Uint8Array.of(0xff, 0xd8, byte, 0xff, 0xd9)),
      end: () => put(null),
    });
    while (true) {
      while (queue.length === 0) await new Promise<void>((done) => wake = done);
      const next = queue.shift()!;
      if (next === null) return;
      yield next;
    }
  }
  return { grabs, source };
}

function testViewer(fps: number, elapsed: () => number) {
  let [bytes, isOver] = ["", false];
  const viewer = new PictureViewer({ onend: () => isOver = true, onsend: () => {}, elapsed }, MOTION, fps);
  const reader = viewer.response.body!.getReader();
  const reading = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += [...part.value].map((byte) => String.fromCharCode(byte)).join("");
    }
  })();
  /** The third byte of each picture. */
  const seen = () =>
    [...bytes.matchAll(/\r\n\r\n\xff\xd8([^])\xff\xd9/g)].map(([, byte]) => byte.charCodeAt(0));
  return { viewer, seen, reading, text: () => bytes, isOver: () => isOver };
}

Deno.test("viewers share one grab, at the highest rate that one of them wants, each at its own rate", async () => {
  let now = 0;
  const { grabs, source } = testDisplay();
  const relay = new PictureRelay(source, () => now);
  const [slow, fast] = [testViewer(1, () => now), testViewer(5, () => now)];
  relay.add(slow.viewer);
  await until("a grab for the first", () => grabs.length === 1);
  assert.equal(grabs[0].fps, 1);
  relay.add(fast.viewer);
  await until("a faster grab", () => grabs.length === 2);
  assert.deepEqual([grabs[0].signal.aborted, grabs[1].fps], [true, 5]);
  for (let at = 1; at <= 10; at++) {
    grabs[1].send(at);
    await until("it to come", () => fast.seen().at(-1) === at);
    now += 200;
  }
  assert.deepEqual(fast.seen(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(slow.seen(), [1, 6]);
  assert.match(
    fast.text(),
    /^--picture\r\nContent-Type: image\/jpeg\r\nContent-Length: 5\r\n\r\n[^]{5}\r\n--picture\r\n/,
  );
  const late = testViewer(2, () => now);
  relay.add(late.viewer);
  await until("the newest picture at once", () => late.seen().length === 1);
  assert.deepEqual([late.seen(), grabs.length], [[10], 2]);
  await relay.end();
  await Promise.all([slow, fast, late].map(({ reading }) => reading));
  assert.ok([slow, fast, late].every(({ isOver }) => isOver()));
});

Deno.test("a picture that stays is sent again every five seconds, and one that changes at once", async () => {
  let now = 0;
  const { grabs, source } = testDisplay();
  const relay = new PictureRelay(source, () => now);
  const one = testViewer(5, () => now);
  relay.add(one.viewer);
  await until("a grab", () => grabs.length === 1);
  for (; now < 12_000; now += 200) grabs[0].send(7);
  grabs[0].send(8);
  // all that was sent has been taken when the last one has come
  await until("the change", () => one.seen().at(-1) === 8);
  assert.ok(one.seen().filter((byte) => byte === 7).length <= 3, String(one.seen()));
  now += 6000;
  grabs[0].send(8);
  await until("the same again", () => one.seen().filter((byte) => byte === 8).length === 2);
  await relay.end();
  await one.reading;
});

Deno.test("a grab that ends is begun again while somebody watches", async () => {
  const { grabs, source } = testDisplay();
  const relay = new PictureRelay(source, () => 0);
  const one = testViewer(2, () => 0);
  relay.add(one.viewer);
  await until("a grab", () => grabs.length === 1);
  grabs[0].end();
  await until("another one", () => grabs.length === 2);
  grabs[1].send(9);
  await until("its picture", () => one.seen().at(-1) === 9);
  await relay.end();
  await one.reading;
});

Deno.test("of short pictures without end so many are taken as come from a display, and no more", async () => {
  using _clock = new FakeClock(); // time stands still
  let made = 0;
  async function* source(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    while (made < 2000) yield await Promise.resolve(Uint8Array.of(0xff, 0xd8, made++ & 0x7f, 0xff, 0xd9));
  }
  const relay = new PictureRelay(source, () => 0);
  let before = -1;
  await until("no more to be taken", () => {
    const isStill = made >= 100 && made === before;
    before = made;
    return isStill;
  });
  assert.ok(made <= 101, `${made} were taken`);
  await relay.end();
});
