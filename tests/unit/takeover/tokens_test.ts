import assert from "node:assert/strict";
import { join } from "node:path";
import { VncTokens } from "../../../lib/takeover/tokens.ts";
import { streamId } from "../../../lib/model/id.ts";
import { makePaths, tempDir } from "../../support/fixture.ts";

async function temporaryPaths() {
  const dir = await tempDir();
  const paths = await makePaths(dir.path);
  return { dir, paths, read: () => Deno.readTextFile(paths.tokensFile) };
}

Deno.test("each stream gets a secret of its own that opens its display alone", async () => {
  const { dir, paths, read } = await temporaryPaths();
  await using _ = dir;
  const tokens = new VncTokens(paths);
  await tokens.sync(["a", "a-2"].map(streamId));
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
  const tokens = new VncTokens(paths);
  await tokens.sync(["a", "b"].map(streamId));
  const [a, b] = [tokens.get(streamId("a"))!, tokens.get(streamId("b"))!];
  await tokens.sync(["b"].map(streamId));
  assert.deepEqual([tokens.get(streamId("a")), tokens.get(streamId("b")), (await read()).includes(a)], [
    undefined,
    b,
    false,
  ]);
  await tokens.sync(["a", "b"].map(streamId));
  assert.notEqual(tokens.get(streamId("a")), a);
  await tokens.sync([]);
  assert.equal(await read(), "");
});

Deno.test("the web app's restart takes the tokens over", async () => {
  const { dir, paths, read } = await temporaryPaths();
  await using _ = dir;
  const first = new VncTokens(paths);
  await first.load();
  await first.sync(["a", "b"].map(streamId));
  const before = await read();
  const second = new VncTokens(paths);
  await second.load();
  await second.sync(["a", "b"].map(streamId));
  assert.equal(await read(), before);
});

Deno.test("calls at the same time end with the last; a failing one keeps the tokens and the queue", async () => {
  const { dir, paths } = await temporaryPaths();
  await using _ = dir;
  const tokens = new VncTokens(paths);
  await Promise.all([["a"], ["a", "b"], ["b", "c"]].map((ids) => tokens.sync(ids.map(streamId))));
  assert.deepEqual(["a", "b", "c"].map((id) => tokens.get(streamId(id)) !== undefined), [false, true, true]);
  const b = tokens.get(streamId("b"));
  await Deno.rename(paths.runDir, `${paths.runDir}-away`);
  await assert.rejects(tokens.sync([]));
  assert.equal(tokens.get(streamId("b")), b);
  await Deno.rename(`${paths.runDir}-away`, paths.runDir);
  await tokens.sync(["b"].map(streamId));
  assert.equal(tokens.get(streamId("b")), b);
});

Deno.test("a token leads to its stream, and nothing else does", async () => {
  const { dir, paths } = await temporaryPaths();
  await using _ = dir;
  const tokens = new VncTokens(paths);
  await tokens.sync(["a", "b"].map(streamId));
  const a = tokens.get(streamId("a"))!;
  assert.deepEqual([tokens.idOf(a), tokens.idOf(tokens.get(streamId("b"))!)], ["a", "b"]);
  for (const wrong of ["", "a", a.slice(1), `${a}0`, a.toUpperCase(), "__proto__"]) {
    assert.equal(tokens.idOf(wrong), undefined, wrong);
  }
  await tokens.sync(["b"].map(streamId));
  assert.equal(tokens.idOf(a), undefined);
});
