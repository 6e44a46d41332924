/** How a browser's messages are told apart, and which of them are believed. */
import assert from "node:assert/strict";
import {
  MAX_MESSAGE_BYTES,
  MessageSplitter,
  parseCommand,
  parseMessage,
} from "../../../lib/browser/messages.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** What comes out of chunks. */
function split(chunks: (string | Uint8Array)[]): string[] {
  const splitter = new MessageSplitter();
  return chunks.flatMap((chunk) => [...splitter.push(typeof chunk === "string" ? bytes(chunk) : chunk)])
    .map(({ text, isCut }) => isCut ? `cut ${text}` : text);
}

Deno.test("messages: each ends with a NUL, however the bytes come", () => {
  const all = bytes('{"id":1}\0{"ä":"🌍"}\0\0{"id":3}\0');
  const expected = ['{"id":1}', '{"ä":"🌍"}', '{"id":3}'];
  assert.deepEqual(split([all]), expected);
  for (const size of [1, 2, 3, 7]) {
    const chunks = Array.from(
      { length: Math.ceil(all.length / size) },
      (_, at) => all.subarray(at * size, (at + 1) * size),
    );
    assert.deepEqual(split(chunks), expected, `${size} bytes at a time`);
  }
  assert.deepEqual(split(["half"]), []);
});

Deno.test("messages: the ends of nothing are nothing, and a message in bytes is one", () => {
  const splitter = new MessageSplitter();
  for (let count = 0; count < 100; count++) assert.deepEqual([...splitter.push(new Uint8Array(65_536))], []);
  const got = [...bytes('{"id":5}\0')].flatMap((byte) => [...splitter.push(Uint8Array.of(byte))]);
  assert.deepEqual(got, [{ text: '{"id":5}', isCut: false }]);
});

Deno.test("messages: a chunk may be used again by who gave it", () => {
  const splitter = new MessageSplitter();
  const chunk = bytes('{"id":');
  assert.deepEqual([...splitter.push(chunk)], []);
  chunk.fill(120);
  assert.equal([...splitter.push(bytes("1}\0"))][0].text, '{"id":1}');
});

Deno.test("messages: of one that is too long only its beginning is kept, and the next is whole", () => {
  const splitter = new MessageSplitter();
  assert.deepEqual([...splitter.push(bytes('{"id":7,"result":"'))], []);
  const part = new Uint8Array(100_000).fill(120);
  for (let size = 0; size < 300 * MAX_MESSAGE_BYTES; size += part.length) {
    assert.deepEqual([...splitter.push(part)], []);
  }
  const [long, next] = splitter.push(bytes('"}\0{"id":8,"result":{}}\0'));
  assert.ok(long.isCut && long.text.length <= 100, `${long.text.length} characters`);
  assert.equal(parseMessage(long)?.id, 7);
  assert.match(parseMessage(long)!.error!.message, /more than 1 MB/);
  assert.deepEqual(parseMessage(next), { id: 8, result: {} });

  const exact = "x".repeat(MAX_MESSAGE_BYTES);
  assert.deepEqual(split([exact, "\0"]), [exact]);
  assert.equal(split([`${exact}x`, "\0"])[0].slice(0, 5), "cut x");
});

Deno.test("messages: what is none, or an event that is too long, is left out", () => {
  for (const text of ["", "x", "5", "null", "[]", '"id"', '{"id":1', '"}{"id":1}']) {
    assert.equal(parseMessage({ text, isCut: false }), null, text);
  }
  assert.equal(parseMessage({ text: '{"method":"Page.x","params":{"id":5,', isCut: true }), null);
});

Deno.test("messages: a helper's command has a number, a method and nothing of another kind", () => {
  const given = { id: 1, method: "Page.enable", params: {}, sessionId: "A" };
  assert.deepEqual(parseCommand(JSON.stringify({ ...given, more: 1 })), given);
  const wrong = [{ id: "1" }, { id: 1.5 }, { id: null }, { method: 5 }, { params: [] }, { params: 5 }, {
    sessionId: 5,
  }];
  for (const one of wrong) {
    assert.equal(parseCommand(JSON.stringify({ ...given, ...one })), null, JSON.stringify(one));
  }
  for (const text of ["", "null", "[]", "5", "{"]) assert.equal(parseCommand(text), null, text);
});
