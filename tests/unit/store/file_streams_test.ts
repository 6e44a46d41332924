import assert from "node:assert/strict";
import { join } from "node:path";
import { StreamFileError } from "../../../lib/model/file.ts";
import { FileStreamStore } from "../../../lib/store/file_streams.ts";
import { aStream, namesIn, tempDir } from "../../support/fixture.ts";

const add = (id: string, order = 0) => (streams: readonly ReturnType<typeof aStream>[]) => [
  ...streams,
  aStream({ id, order }),
];
const idsOf = (store: FileStreamStore) => store.list().map(({ id }) => id);

async function listFile() {
  const dir = await tempDir();
  const path = join(dir.path, "streams.json");
  return {
    dir,
    path,
    onDisk: async () => JSON.parse(await Deno.readTextFile(path)).map(({ id }: { id: string }) => id),
  };
}

Deno.test("a missing file is an empty list, and only a change makes it", async () => {
  const { dir, path, onDisk } = await listFile();
  await using _ = dir;
  const store = await FileStreamStore.open(path);
  assert.deepEqual([store.list(), await namesIn(dir.path)], [[], []]);
  await store.change(add("b", 1));
  await store.change(add("a"));
  assert.deepEqual([idsOf(store), await onDisk(), idsOf(await FileStreamStore.open(path))], [["a", "b"], [
    "a",
    "b",
  ], ["a", "b"]]);
  assert.equal(store.get("b")?.order, 1);
  assert.deepEqual(await namesIn(dir.path), ["streams.json"]);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
});

Deno.test("changes at the same time are all kept, and seen only once on disk", async () => {
  const { dir, path, onDisk } = await listFile();
  await using _ = dir;
  const store = await FileStreamStore.open(path);
  const changes = Array.from({ length: 50 }, (_, at) => store.change(add(`s${at}`, at)));
  assert.deepEqual(store.list(), []);
  await store.settled();
  await Promise.all(changes);
  assert.equal(store.list().length, 50);
  assert.deepEqual(await onDisk(), idsOf(store));
});

Deno.test("the version is another after each change, and only then; after a new start, too", async () => {
  const { dir, path } = await listFile();
  await using _ = dir;
  const store = await FileStreamStore.open(path);
  const seen = [store.version];
  const change = store.change(add("a"));
  assert.equal(store.version, seen[0], "nobody sees the change yet");
  await change;
  seen.push(store.version);
  await store.change((streams) => streams);
  await assert.rejects(store.change(() => {
    throw new RangeError("no");
  }));
  assert.equal(store.version, seen[1]);
  await store.change(([stream]) => [{ ...stream, order: 4 }]);
  seen.push(store.version, (await FileStreamStore.open(path)).version);
  assert.equal(new Set(seen).size, 4, seen.join());
  for (const version of seen) assert.match(version, /^[\w-]{1,40}$/);
});

Deno.test("a failing write leaves the old list, in memory and on disk, and the queue usable", async () => {
  const { dir, path, onDisk } = await listFile();
  await using _ = dir;
  const store = await FileStreamStore.open(path);
  await store.change(add("a"));
  const away = `${dir.path}-away`;
  await Deno.rename(dir.path, away);
  await assert.rejects(store.change(add("b", 1)));
  assert.deepEqual(idsOf(store), ["a"]);
  await Deno.rename(away, dir.path);
  assert.deepEqual(await onDisk(), ["a"]);
  await store.change(add("c", 2));
  assert.deepEqual([idsOf(store), await onDisk()], [["a", "c"], ["a", "c"]]);
  assert.deepEqual(await namesIn(dir.path), ["streams.json"]);
});

Deno.test("a crash before the rename leaves a temporary file that disturbs nobody", async () => {
  const { dir, path, onDisk } = await listFile();
  await using _ = dir;
  await (await FileStreamStore.open(path)).change(add("old"));
  await Deno.writeTextFile(join(dir.path, ".streams.json.0badc0de.tmp"), '[{"id": "half');
  const store = await FileStreamStore.open(path);
  assert.deepEqual(idsOf(store), ["old"]);
  await store.change(add("new", 1));
  assert.deepEqual(await onDisk(), ["old", "new"]);
});

const UNREADABLE = [
  '[{"id": "a", "name": "A", "url": "https://a.exam',
  "",
  '[{"id": "a", "name": "A", "url": "https://a"}, {"id": "a", "name": "A", "url": "https://a"}]',
  '[{"id": "a", "name": "A", "url": "https://a", "fps": "many"}]',
];

for (const text of UNREADABLE) {
  Deno.test(`an unusable file stays, and one copy of it is kept: ${text.slice(-30)}`, async () => {
    const { dir, path } = await listFile();
    await using _ = dir;
    await Deno.writeTextFile(path, text);
    const messages: string[] = [];
    for (let time = 0; time < 2; time++) {
      await assert.rejects(FileStreamStore.open(path), (error) => {
        assert.ok(error instanceof StreamFileError);
        messages.push(error.message);
        return true;
      });
    }
    const names = await namesIn(dir.path);
    assert.equal(names.length, 2, names.join());
    assert.match(names[1], /^streams\.json\.unreadable-\d{4}-\d\d-\d\dT[\d-]+Z$/);
    for (const name of names) assert.equal(await Deno.readTextFile(join(dir.path, name)), text);
    assert.equal((await Deno.stat(join(dir.path, names[1]))).mode! & 0o777, 0o600);
    assert.ok(messages[0].includes(path) && messages[0].includes(names[1]), messages[0]);
    assert.equal(messages[0], messages[1]);
  });
}

Deno.test("of a field that a hand has written twice the last one counts, and a copy keeps the other", async () => {
  const { dir, path } = await listFile();
  await using _ = dir;
  const text = '[{"id":"a","name":"A","url":"https://one.example/","url":"https://two.example/"}]';
  await Deno.writeTextFile(path, text);
  for (let time = 0; time < 2; time++) {
    const store = await FileStreamStore.open(path);
    assert.equal(store.list()[0].url, "https://two.example/");
  }
  const names = await namesIn(dir.path);
  assert.equal(names.length, 2, names.join());
  assert.match(names[1], /^streams\.json\.edited-\d{4}-\d\d-\d\dT[\d-]+Z$/);
  assert.equal(await Deno.readTextFile(join(dir.path, names[1])), text);
});

Deno.test("the copy has the same bytes, even when the file ends within a character", async () => {
  const { dir, path } = await listFile();
  await using _ = dir;
  const bytes = new TextEncoder().encode('[{"name": "Ü').slice(0, -1);
  await Deno.writeFile(path, bytes);
  await assert.rejects(FileStreamStore.open(path), StreamFileError);
  const [, copy] = await namesIn(dir.path);
  assert.deepEqual(await Deno.readFile(join(dir.path, copy)), bytes);
});

Deno.test("unknown fields survive a change of another stream", async () => {
  const { dir, path } = await listFile();
  await using _ = dir;
  const record = { id: "a", name: "A", url: "https://a", future: [1] };
  await Deno.writeTextFile(path, JSON.stringify({ version: 9, streams: [record] }));
  await (await FileStreamStore.open(path)).change(add("b", 1));
  const { version, streams } = JSON.parse(await Deno.readTextFile(path));
  assert.deepEqual([version, streams[0].future, streams.length], [9, [1], 2]);
});

Deno.test("the very same list is not written again", async () => {
  const { dir, path } = await listFile();
  await using _ = dir;
  const store = await FileStreamStore.open(path);
  await store.change((streams) => streams);
  assert.deepEqual(await namesIn(dir.path), []);
  await store.change(add("a"));
  const { ino } = await Deno.stat(path);
  await store.change((streams) => streams);
  assert.equal((await Deno.stat(path)).ino, ino);
});

Deno.test("a list of an earlier version has the numbers that it showed, and keeps them after its first change", async () => {
  const { dir, path } = await listFile();
  await using _ = dir;
  const streams = [0, 0, 2, 0].map((channelNumber, order) =>
    aStream({ id: `s${order}`, order, channelNumber })
  );
  await Deno.writeTextFile(path, JSON.stringify(streams));
  const numbersOf = (store: FileStreamStore) => store.list().map(({ channelNumber }) => channelNumber);
  const store = await FileStreamStore.open(path);
  assert.deepEqual(numbersOf(store), [1, 3, 2, 4]);
  await store.change((streams) => streams.filter(({ id }) => id !== "s0"));
  assert.deepEqual([numbersOf(store), numbersOf(await FileStreamStore.open(path))], [[3, 2, 4], [3, 2, 4]]);
});
