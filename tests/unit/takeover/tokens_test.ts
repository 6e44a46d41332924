import assert from "node:assert/strict";
import { join } from "node:path";
import { type VncStream, VncTokens } from "../../../lib/takeover/tokens.ts";
import { streamId } from "../../../lib/model/id.ts";
import type { Paths } from "../../../lib/paths.ts";
import { makePaths, tempDir } from "../../support/fixture.ts";

async function temporaryPaths() {
  const dir = await tempDir();
  const paths = await makePaths(dir.path);
  return { dir, paths, read: () => Deno.readTextFile(paths.tokensFile) };
}

/** Streams that come and go. */
class Streams {
  #all: VncStream[] = [];

  list(): readonly VncStream[] {
    return this.#all;
  }

  find(id: string): VncStream | undefined {
    return this.#all.find((stream) => stream.id === id);
  }

  /** Has these streams alone; one that was there stays the same. */
  have(...ids: string[]): void {
    this.#all = ids.map((id) => this.find(id) ?? { id: streamId(id), vncToken: null });
  }
}

Deno.test("each stream gets a secret of its own that opens its display alone", async () => {
  const { dir, paths, read } = await temporaryPaths();
  await using _ = dir;
  const streams = new Streams();
  const tokens = new VncTokens(paths, streams);
  streams.have("a", "a-2");
  await tokens.sync();
  const [a, b] = [tokens.get(streamId("a"))!, tokens.get(streamId("a-2"))!];
  for (const token of [a, b]) assert.match(token, /^[0-9a-f]{32}$/);
  assert.notEqual(a, b);
  const { vncDir } = paths;
  assert.equal(
    await read(),
    `${a}: unix_socket:${join(vncDir, "a/rfb")}\n${b}: unix_socket:${join(vncDir, "a-2/rfb")}\n`,
  );
  assert.equal((await Deno.stat(paths.tokensFile)).mode! & 0o777, 0o640);
  assert.equal(tokens.get(streamId("b")), undefined);
});

Deno.test("a stream keeps its token; a deleted one's is gone, and a new one of that name gets another", async () => {
  const { dir, paths, read } = await temporaryPaths();
  await using _ = dir;
  const streams = new Streams();
  const tokens = new VncTokens(paths, streams);
  streams.have("a", "b");
  await tokens.sync();
  const [a, b] = [tokens.get(streamId("a"))!, tokens.get(streamId("b"))!];
  streams.have("b");
  await tokens.sync();
  assert.deepEqual([tokens.get(streamId("a")), tokens.get(streamId("b")), (await read()).includes(a)], [
    undefined,
    b,
    false,
  ]);
  streams.have("a", "b");
  await tokens.sync();
  assert.notEqual(tokens.get(streamId("a")), a);
  streams.have();
  await tokens.sync();
  assert.equal(await read(), "");
});

/** Starts a web app with these streams. @returns the proxy's file. */
async function startWith(paths: Paths, ...ids: string[]): Promise<string> {
  const streams = new Streams();
  streams.have(...ids);
  const tokens = new VncTokens(paths, streams);
  await tokens.load();
  await tokens.sync();
  return await Deno.readTextFile(paths.tokensFile);
}

Deno.test("the web app's restart takes the tokens over", async () => {
  const { dir, paths } = await temporaryPaths();
  await using _ = dir;
  const before = await startWith(paths, "a", "b");
  assert.equal(await startWith(paths, "a", "b"), before);
  const text = await startWith(paths, "b", "c");
  assert.deepEqual(
    [before.split("\n")[1], text.includes("/c/rfb"), text.includes("/a/rfb")],
    [text.split("\n")[0], true, false],
  );
});

Deno.test("calls at the same time end with the last; a failing one keeps the tokens and the queue", async () => {
  const { dir, paths } = await temporaryPaths();
  await using _ = dir;
  const streams = new Streams();
  const tokens = new VncTokens(paths, streams);
  const syncs = [["a"], ["a", "b"], ["b", "c"]].map((ids) => {
    streams.have(...ids);
    return tokens.sync();
  });
  await Promise.all(syncs);
  assert.deepEqual(["a", "b", "c"].map((id) => tokens.get(streamId(id)) !== undefined), [false, true, true]);
  const b = tokens.get(streamId("b"));
  await Deno.rename(paths.runDir, `${paths.runDir}-away`);
  await assert.rejects(tokens.sync());
  assert.equal(tokens.get(streamId("b")), b);
  await Deno.rename(`${paths.runDir}-away`, paths.runDir);
  streams.have("b");
  await tokens.sync();
  assert.equal(tokens.get(streamId("b")), b);
});

Deno.test("a token leads to its stream, and nothing else does", async () => {
  const { dir, paths } = await temporaryPaths();
  await using _ = dir;
  const streams = new Streams();
  const tokens = new VncTokens(paths, streams);
  streams.have("a", "b");
  await tokens.sync();
  const a = tokens.get(streamId("a"))!;
  assert.deepEqual([tokens.idOf(a), tokens.idOf(tokens.get(streamId("b"))!)], ["a", "b"]);
  for (const wrong of ["", "a", a.slice(1), `${a}0`, a.toUpperCase(), "__proto__"]) {
    assert.equal(tokens.idOf(wrong), undefined, wrong);
  }
  streams.have("b");
  await tokens.sync();
  assert.equal(tokens.idOf(a), undefined);
});
