import assert from "node:assert/strict";
import {
  formatStreamFile,
  parseStreamFile,
  readEntries,
  StreamFileError,
  withOrder,
} from "../../../lib/model/file.ts";
import { idOfRecord } from "../../../lib/model/id.ts";
import { finish } from "../../../lib/machine/tools/turns.ts";
import { aStream } from "../../support/fixture.ts";

const a = { id: "a", name: "A", url: "https://a.example/" };
const b = { id: "b", name: "B", url: "https://b.example/" };

function ids(content: unknown): string[] {
  return parseStreamFile(JSON.stringify(content)).streams.map(({ id }) => id);
}

Deno.test("the shapes of a list", () => {
  const { id: _, ...nameless } = b;
  assert.deepEqual(ids([a, b]), ["a", "b"]);
  assert.deepEqual(ids({ streams: [a, b] }), ["a", "b"]);
  assert.deepEqual(ids({ a, b: nameless }), ["a", "b"]);
  assert.deepEqual(ids({ streams: { a, b: nameless } }), ["a", "b"]);
  assert.deepEqual(ids([]), []);
  assert.deepEqual(ids({}), []);
  assert.equal(parseStreamFile("\uFEFF" + JSON.stringify([a])).streams.length, 1);
});

Deno.test("records without an order follow the others, in the file's order", () => {
  const { streams } = parseStreamFile(
    JSON.stringify([a, { ...b, order: 4 }, { ...a, id: "c" }, { ...a, id: "d", order: 1 }]),
  );
  assert.deepEqual(streams.map(({ id, order }) => [id, order]), [["d", 1], ["b", 4], ["a", 5], ["c", 6]]);
});

Deno.test("records without an id get one of their name; one without a name gets its id", () => {
  const list = [{ name: "A", url: a.url }, a, { name: "A", url: a.url }, { id: "x", url: a.url }];
  const { streams } = parseStreamFile(JSON.stringify(list));
  assert.deepEqual(streams.map(({ id, name }) => [id, name]), [["a-2", "A"], ["a", "A"], ["a-3", "A"], [
    "x",
    "x",
  ]]);
});

Deno.test("a name of ours that shows nothing is replaced, and its record keeps its id", () => {
  const [unseen, blank] = ["\u200b\u200b", "\u3164"];
  const list = [{ name: unseen, url: a.url }, { id: "x", name: blank, url: a.url }];
  const { streams } = parseStreamFile(JSON.stringify(list));
  assert.deepEqual(streams.map(({ id, name }) => [id, name]), [[idOfRecord(unseen), "Without a name"], [
    "x",
    "x",
  ]]);
});

Deno.test("a record without an id gets none that is an address of the service", () => {
  const list = [{ name: "Export", url: a.url }, { name: "Try", url: a.url }];
  assert.deepEqual(ids(list), ["export-2", "try-2"]);
});

Deno.test("old records: a delay with a unit", () => {
  assert.equal(parseStreamFile(JSON.stringify([{ ...a, delay: "15s" }])).streams[0].delay, 15);
});

const BAD: [text: string, says: RegExp][] = [
  ["", /not valid JSON/],
  ['[{"id": "a", "na', /not valid JSON/],
  ["null", /has no list/],
  ["5", /has no list/],
  ['"streams"', /has no list/],
  ["[5]", /entry 1 is not a stream/],
  ["[null]", /entry 1 is not a stream/],
  ["[[]]", /entry 1 is not a stream/],
  ['{"version": 1, "a": {}}', /entry 1 is not a stream/],
  [JSON.stringify([a, { ...b, fps: "many" }]), /stream 2 \(B\), field "fps": Frames per second must be/],
  [
    JSON.stringify([a, { ...b, url: "file:///etc/passwd" }]),
    /stream 2 \(B\), field "url": Only http and https/,
  ],
  [JSON.stringify([{ ...a, name: 5 }]), /stream 1 \(5\), field "name"/],
  [JSON.stringify([{ ...a, id: "../x" }]), /stream 1 \(A\), field "id"/],
  [JSON.stringify([{ ...a, id: 7 }]), /field "id"/],
  [JSON.stringify([{ ...a, order: "first" }]), /field "order": The order must be a whole number/],
  [JSON.stringify([{ ...a, order: 2 ** 53 }]), /field "order": The order must be a whole number/],
  [JSON.stringify([{ ...a, name: { toString: 1, valueOf: 1 } }]), /stream 1 \(\), field "name"/],
  [JSON.stringify([{ ...a, id: { toString: 1, valueOf: 1 } }]), /stream 1 \(A\), field "id"/],
  [JSON.stringify([a, b, a]), /stream 3 \(A\), field "id": The id "a" occurs twice/],
  ['{"__proto__": {"name": "A", "url": "https://a.example/"}}', /field "id"/],
];

for (const [text, says] of BAD) {
  Deno.test(`refused: ${text.slice(0, 60)}`, () => {
    assert.throws(() => parseStreamFile(text), (error) => {
      assert.ok(error instanceof StreamFileError);
      assert.match(error.message, says);
      return true;
    });
  });
}

Deno.test("unknown fields survive a rewrite, on the record and around the list", () => {
  const text = JSON.stringify({ version: 7, streams: [{ ...a, future: { deep: [1] } }], note: "mine" });
  const again = JSON.parse(formatStreamFile(parseStreamFile(text)));
  assert.deepEqual([again.version, again.note, again.streams[0].future], [7, "mine", { deep: [1] }]);
});

Deno.test("unknown fields around an id map survive a rewrite", () => {
  const text = JSON.stringify({ version: 7, streams: { a } });
  const again = JSON.parse(formatStreamFile(parseStreamFile(text)));
  assert.equal(again.version, 7);
});

Deno.test("what is written reads the same", () => {
  const file = parseStreamFile(JSON.stringify([{ ...a, pass: '"\\\u2028%', name: "Ü 日本" }, b]));
  assert.deepEqual(parseStreamFile(formatStreamFile(file)), file);
});

Deno.test("what other tools write for 'not set' means the default", () => {
  const record = {
    ...a,
    user: null,
    pass: null,
    delay: "",
    audio: null,
    tune: "",
    rewind: null,
    rewindFor: "",
    bitrate: "",
    fps: "30",
    order: "2",
  };
  const [stream] = parseStreamFile(JSON.stringify([record])).streams;
  assert.deepEqual([stream.user, stream.delay, stream.audio, stream.tune], ["", 0, true, "zerolatency"]);
  assert.deepEqual([stream.rewind, stream.rewindFor], [true, "operators"]);
  assert.deepEqual([stream.bitrate, stream.fps, stream.order], ["1500k", 30, 2]);
  assert.equal(parseStreamFile(JSON.stringify([{ ...a, order: null }])).streams[0].order, 0);
});

Deno.test("blank ids, names and states are given; the note of an export is dropped", () => {
  const { url } = a;
  const list = [{ id: "", name: "A", url, desiredState: null, passSet: true }, { id: "x", name: "", url }];
  const { streams } = parseStreamFile(JSON.stringify(list));
  assert.deepEqual(streams.map(({ id, name, desiredState }) => [id, name, desiredState]), [
    ["a", "A", "running"],
    ["x", "x", "running"],
  ]);
  assert.ok(!("passSet" in streams[0]));
  assert.deepEqual(ids({ a: { url, id: null }, b: { url, id: "" } }), ["a", "b"]);
  assert.equal(parseStreamFile(JSON.stringify([{ ...a, constructor: null }])).streams[0].constructor, null);
});

Deno.test("every record is read for itself, and all its problems are told", () => {
  const { entries } = finish(readEntries([a, { ...b, fps: "many", url: "ftp://b" }, 7, a]));
  assert.deepEqual(entries.map(({ at, name, stream }) => [at, name, stream?.id]), [
    [1, "A", "a"],
    [2, "B", undefined],
    [3, "", undefined],
    [4, "A", undefined],
  ]);
  assert.deepEqual(entries.map(({ problems }) => Object.keys(problems)), [[], ["url", "fps"], [""], ["id"]]);
});

Deno.test("orders never leave what can be read again", () => {
  const last = aStream({ order: 999_999_999 });
  const { order: _, ...next } = aStream({ id: "b" });
  assert.deepEqual(withOrder([last, next]).map(({ order }) => order), [999_999_999, 999_999_999]);
});
