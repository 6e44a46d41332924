import assert from "node:assert/strict";
import { join } from "node:path";
import { VncTokens } from "../../../lib/vnc/tokens.ts";
import { makePlaces, tempDir } from "../../support/fixture.ts";

const owner = { name: "me", uid: Deno.uid()!, gid: Deno.gid()! };

async function aPlace() {
  const dir = await tempDir();
  const places = await makePlaces(dir.path);
  return { dir, places, read: () => Deno.readTextFile(places.tokensFile) };
}

Deno.test("each stream gets a secret of its own that opens its display alone", async () => {
  const { dir, places, read } = await aPlace();
  await using _ = dir;
  const tokens = new VncTokens(places, owner);
  await tokens.keepOnly(["a", "a-2"]);
  const [a, b] = [tokens.get("a")!, tokens.get("a-2")!];
  for (const token of [a, b]) assert.match(token, /^[0-9a-f]{32}$/);
  assert.notEqual(a, b);
  const { vncDir } = places;
  assert.equal(
    await read(),
    `${a}: unix_socket:${join(vncDir, "a.sock")}\n${b}: unix_socket:${join(vncDir, "a-2.sock")}\n`,
  );
  assert.equal((await Deno.stat(places.tokensFile)).mode! & 0o777, 0o600);
  assert.equal(tokens.get("b"), undefined);
});

Deno.test("a stream keeps its token; a deleted one's is gone, and a new one of that name gets another", async () => {
  const { dir, places, read } = await aPlace();
  await using _ = dir;
  const tokens = new VncTokens(places, owner);
  await tokens.keepOnly(["a", "b"]);
  const [a, b] = [tokens.get("a")!, tokens.get("b")!];
  await tokens.keepOnly(["b"]);
  assert.deepEqual([tokens.get("a"), tokens.get("b"), (await read()).includes(a)], [undefined, b, false]);
  await tokens.keepOnly(["a", "b"]);
  assert.notEqual(tokens.get("a"), a);
  await tokens.keepOnly([]);
  assert.equal(await read(), "");
});

Deno.test("the web app's restart takes the tokens over", async () => {
  const { dir, places, read } = await aPlace();
  await using _ = dir;
  const first = new VncTokens(places, owner);
  await first.load();
  await first.keepOnly(["a", "b"]);
  const before = await read();
  const second = new VncTokens(places, owner);
  await second.load();
  await second.keepOnly(["a", "b"]);
  assert.equal(await read(), before);
});

Deno.test("calls at the same time end with the last; a failing one keeps the tokens and the queue", async () => {
  const { dir, places } = await aPlace();
  await using _ = dir;
  const tokens = new VncTokens(places, owner);
  await Promise.all([["a"], ["a", "b"], ["b", "c"]].map((ids) => tokens.keepOnly(ids)));
  assert.deepEqual(["a", "b", "c"].map((id) => tokens.get(id) !== undefined), [false, true, true]);
  const b = tokens.get("b");
  await Deno.rename(places.runDir, `${places.runDir}-away`);
  await assert.rejects(tokens.keepOnly([]));
  assert.equal(tokens.get("b"), b);
  await Deno.rename(`${places.runDir}-away`, places.runDir);
  await tokens.keepOnly(["b"]);
  assert.equal(tokens.get("b"), b);
});

Deno.test("a token leads to its stream, and nothing else does", async () => {
  const { dir, places } = await aPlace();
  await using _ = dir;
  const tokens = new VncTokens(places, owner);
  await tokens.keepOnly(["a", "b"]);
  const a = tokens.get("a")!;
  assert.deepEqual([tokens.idOf(a), tokens.idOf(tokens.get("b")!)], ["a", "b"]);
  for (const wrong of ["", "a", a.slice(1), `${a}0`, a.toUpperCase(), "__proto__"]) {
    assert.equal(tokens.idOf(wrong), undefined, wrong);
  }
  await tokens.keepOnly(["b"]);
  assert.equal(tokens.idOf(a), undefined);
});
