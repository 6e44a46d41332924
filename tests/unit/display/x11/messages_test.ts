/** Requests and answers as bytes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { DAMAGE, regionExtents, SHM, XFIXES } from "../../../../lib/display/x11/extensions.ts";
import {
  greeting,
  greetingLength,
  MAX_REQUEST_BYTES,
  messageHead,
  padded,
  parseGreeting,
  request,
} from "../../../../lib/display/x11/messages.ts";
import { eventBytes, GREETING, greetingBytes, replyBytes } from "../../../support/x_server.ts";

const hex = (bytes: Uint8Array) => bytes.toHex();
const setup = (fields = {}) => new DataView(greetingBytes(fields).buffer, 8);

Deno.test("x11: a request says its own length in words, and what fills its last word is zero", () => {
  fc.assert(
    fc.property(
      fc.nat(255),
      fc.nat(255),
      fc.array(fc.nat(0xffff_ffff), { maxLength: 20 }),
      fc.uint8Array({ maxLength: 100 }),
      (opcode, detail, numbers, bytes) => {
        const message = request(opcode, detail, numbers, bytes);
        const view = new DataView(message.buffer);
        assert.equal(message.length % 4, 0);
        assert.equal(view.getUint16(2, true) * 4, message.length);
        assert.deepEqual([message[0], message[1]], [opcode, detail]);
        numbers.forEach((number, at) => assert.equal(view.getUint32(4 + at * 4, true), number));
        const from = 4 + numbers.length * 4;
        assert.deepEqual(message.subarray(from, from + bytes.length), bytes);
        assert.ok(message.subarray(from + bytes.length).every((byte) => byte === 0));
        assert.ok(message.length - from - bytes.length < 4);
      },
    ),
  );
});

Deno.test("x11: a request that cannot say its length is refused", () => {
  assert.equal(request(1, 0, [], new Uint8Array(MAX_REQUEST_BYTES - 4)).length, MAX_REQUEST_BYTES);
  assert.throws(() => request(1, 0, [], new Uint8Array(MAX_REQUEST_BYTES - 3)), RangeError);
});

Deno.test("x11: a greeting has the protocol's version, and name and cookie in words of their own", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (cookie) => {
    const message = greeting(cookie);
    assert.equal(message.length, 12 + 20 + padded(cookie.length));
    assert.equal(hex(message.subarray(0, 12)), `6c000b0000001200${hex(Uint8Array.of(cookie.length, 0))}0000`);
    assert.equal(new TextDecoder().decode(message.subarray(12, 30)), "MIT-MAGIC-COOKIE-1");
    assert.deepEqual(message.subarray(32, 32 + cookie.length), cookie);
  }));
});

Deno.test("x11: a server's greeting says the screen, wherever its vendor's name ends", () => {
  for (const vendor of ["", "a", "ab", "abc", "abcd", "The X.Org Foundation"]) {
    const { root, ...screen } = parseGreeting(setup({ vendor, width: 1920, height: 1080 }));
    assert.deepEqual(screen, { firstId: 0x400000, width: 1920, height: 1080, depth: 24, isBgrx: true });
    assert.equal(root, 0x123);
  }
});

Deno.test("x11: pixels of another order, size or depth are told from ours", () => {
  const others = [{ isLeastFirst: false }, { bitsPerPixel: 16 }, { masks: [...GREETING.masks].reverse() }];
  for (const other of others) assert.equal(parseGreeting(setup(other)).isBgrx, false, JSON.stringify(other));
});

Deno.test("x11: no greeting, however cut or wrong, does more than throw", () => {
  const whole = greetingBytes().subarray(8);
  for (let length = 0; length < whole.length - 24; length++) {
    const view = new DataView(whole.slice(0, length).buffer);
    assert.throws(() => parseGreeting(view), /no screen/, `${length} bytes`);
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
    try {
      parseGreeting(new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
    } catch (error) {
      assert.match((error as Error).message, /no screen/);
    }
  }));
  for (const refusal of [0, 2, 77]) {
    assert.throws(
      () => greetingLength(new DataView(Uint8Array.of(refusal, 0, 0, 0, 0, 0, 9, 0).buffer)),
      /refused/,
    );
  }
});

Deno.test("x11: only answers and generic events are longer than 32 bytes", () => {
  const KEYMAP_NOTIFY = 11, GENERIC_EVENT = 35;
  const head = (bytes: Uint8Array<ArrayBuffer>) => messageHead(new DataView(bytes.buffer));
  assert.deepEqual(head(replyBytes(513, [], 3)), { code: 1, sequence: 513, more: 12 });
  for (let code = 2; code < 128; code++) {
    const bytes = eventBytes(code, 7);
    bytes.set([5, 0, 0, 0], 4);
    assert.equal(head(bytes).more, code === GENERIC_EVENT ? 20 : 0);
    assert.equal(head(bytes).sequence, code === KEYMAP_NOTIFY ? null : 7);
  }
  assert.equal(head(eventBytes(0x80 | 22)).code, 22, "one that another client has sent");
});

// as their protocols write them down
Deno.test("x11: the extensions' requests are those of their documents, byte for byte", () => {
  const area = { x: 1, y: 2, width: 640, height: 3 };
  const requests: [Uint8Array, string][] = [
    [SHM.queryVersion(130), "82000100"],
    [SHM.attachFile(130, 0x400001), "820603000100400000000000"],
    [
      SHM.getImage(130, 0x123, area, 0x400001, 5120),
      "82040800230100000100020080020300ffffffff02000000" + "0100400000140000",
    ],
    [DAMAGE.queryVersion(143), "8f0003000100000001000000"],
    [DAMAGE.create(143, 0x400002, 0x123), "8f010400020040002301000003000000"],
    [DAMAGE.subtract(143, 0x400002, 0x400003), "8f030400020040000000000003004000"],
    [XFIXES.queryVersion(138), "8a0003000500000000000000"],
    [XFIXES.createRegion(138, 0x400003), "8a05020003004000"],
    [XFIXES.fetchRegion(138, 0x400003), "8a13020003004000"],
    [XFIXES.setWindowShapeRegion(138, 9, 2, 0x400003), "8a1505000900000002000000" + "0000000003004000"],
  ];
  for (const [made, expected] of requests) assert.equal(hex(made), expected);
});

Deno.test("x11: a region's extents may begin outside of the display", () => {
  const answer = replyBytes(1, [0xff, 0xff, 0xfe, 0xff, 0x80, 0x02, 0x03, 0x00]);
  assert.deepEqual(regionExtents(new DataView(answer.buffer)), { x: -1, y: -2, width: 640, height: 3 });
});
