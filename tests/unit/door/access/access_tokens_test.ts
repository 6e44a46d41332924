import assert from "node:assert/strict";
import { join } from "node:path";
import { AccessFileError } from "../../../../lib/store/access_file.ts";
import { AccessTokens } from "../../../../lib/door/access/access_tokens.ts";
import { ServiceError } from "../../../../lib/errors.ts";
import { MAX_ACCESS_TOKENS } from "../../../../lib/model/answers/access.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { namesIn, tempDir } from "../../../support/fixture.ts";
import { until } from "../../../support/same.ts";
import { logged } from "../../../support/logged.ts";
import type { AccessToken } from "../../../../lib/model/answers/shapes.ts";

const STREAMS = ["news", "clock"];
const START = Date.UTC(2026, 10, 22);
const MINUTE_MS = 60_000;

async function tokensFile() {
  const dir = await tempDir("/dev/shm");
  const path = join(dir.path, "access-tokens.json");
  const clock = { now: START };
  return {
    path,
    clock,
    folder: dir.path,
    open: () => AccessTokens.open(path, () => clock.now),
    onDisk: () => Deno.readTextFile(path),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

Deno.test("a token opens until it is revoked, and over a new start", async () => {
  await using file = await tokensFile();
  const tokens = await file.open();
  const { info, token } = await tokens.create({ name: " Living\nroom " }, STREAMS);
  const { token: other } = await tokens.create({ name: "Bar" }, STREAMS);
  assert.equal(info.name, "Living room");
  assert.match(token, /^[A-Za-z0-9_-]{22}$/);
  assert.notEqual(token, other);
  await tokens.settled();
  const again = await file.open();
  for (const one of [tokens, again]) assert.equal(one.use(token)?.id, info.id);
  await again.revoke(info.id);
  assert.equal(again.use(token), null);
  assert.ok(again.use(other));
  assert.deepEqual(again.list().map(({ name }) => name), ["Bar"]);
  await assert.rejects(
    again.revoke(info.id),
    (error) => error instanceof ServiceError && error.status === 404,
  );
  await again.settled();
  assert.equal((await file.open()).use(token), null);
});

Deno.test("the file has no token, only hashes, and is for its owner alone", async () => {
  await using file = await tokensFile();
  const tokens = await file.open();
  const { info, token } = await tokens.create({ name: "TV" }, STREAMS);
  const text = await file.onDisk();
  assert.ok(!text.includes(token));
  assert.match(text, /"hash": "[0-9a-f]{64}"/);
  assert.equal((await Deno.stat(file.path)).mode! & 0o777, 0o600);
  assert.deepEqual(await namesIn(file.folder), ["access-tokens.json"]);
  assert.ok(!JSON.stringify([info, tokens.list()]).includes(JSON.parse(text).tokens[0].hash));
  await Deno.chmod(file.path, 0o644);
  await file.open();
  assert.equal((await Deno.stat(file.path)).mode! & 0o777, 0o600);
});

Deno.test("what is no token opens nothing", async () => {
  await using file = await tokensFile();
  const tokens = await file.open();
  const { token } = await tokens.create({ name: "TV" }, STREAMS);
  const { hash, id } = JSON.parse(await file.onDisk()).tokens[0];
  const wrong = [
    ...["", token.slice(1), `${token}A`, `${token}=`, ` ${token}`, token.toLowerCase() + "x", hash, id],
    ...["A".repeat(22), "A".repeat(100_000), "__proto__", "constructor"],
  ];
  for (const one of wrong) assert.equal(tokens.use(one), null, one.slice(0, 80));
});

Deno.test("a token ends when its time is over", async () => {
  await using file = await tokensFile();
  const tokens = await file.open();
  const expiresAt = new Date(START + MINUTE_MS).toISOString();
  const { info, token } = await tokens.create({ name: "Guest", expiresAt }, STREAMS);
  assert.equal(info.expiresAt, START + MINUTE_MS);
  file.clock.now += MINUTE_MS - 1;
  assert.ok(tokens.use(token));
  file.clock.now += 1;
  assert.equal(tokens.use(token), null);
  await tokens.settled();
});

Deno.test("the last use is noted, but the disk is not written at each", async () => {
  await using file = await tokensFile();
  const tokens = await file.open();
  const { info, token } = await tokens.create({ name: "TV" }, STREAMS);
  const used = async () => {
    tokens.use(token);
    await tokens.settled();
    assert.deepEqual(JSON.parse(await file.onDisk()).tokens[0].lastUsedAt, tokens.list()[0].lastUsedAt);
    return tokens.list()[0].lastUsedAt! - START;
  };
  assert.equal(info.lastUsedAt, null);
  assert.equal(await used(), 0);
  file.clock.now += 9 * MINUTE_MS;
  assert.equal(await used(), 0);
  file.clock.now += MINUTE_MS;
  assert.equal(await used(), 10 * MINUTE_MS);
});

Deno.test("the uses of many tokens are written together, once a minute", async () => {
  await using file = await tokensFile();
  const tokens = await file.open();
  const made = await Promise.all([1, 2, 3].map((at) => tokens.create({ name: `TV ${at}` }, STREAMS)));
  const written = async () =>
    JSON.parse(await file.onDisk()).tokens.map((one: AccessToken) => one.lastUsedAt);
  for (const { token } of made) tokens.use(token);
  assert.deepEqual(tokens.list().map(({ lastUsedAt }) => lastUsedAt), [START, START, START], "told at once");
  await until("the first use on disk", async () => (await written())[0] === START);
  file.clock.now += 10 * MINUTE_MS;
  for (const { token } of made) tokens.use(token);
  await tokens.settled();
  assert.deepEqual(await written(), Array(3).fill(file.clock.now));
});

Deno.test("the file has a bound: more is refused, and says what to do", async () => {
  await using file = await tokensFile();
  const tokens = await file.open();
  const ids = Array.from({ length: 1000 }, (_, at) => `s${at}-${"x".repeat(50)}`);
  let made = 0;
  await assert.rejects(async () => {
    for (; made < 100; made++) await tokens.create({ name: "TV", streams: ids }, ids);
  }, {
    status: 409,
    message: /^All access tokens together would need more than 1 MiB\. Choose fewer streams/,
  });
  assert.ok(made > 5, `${made}`);
  assert.ok((await file.onDisk()).length <= 1024 * 1024);
  await tokens.create({ name: "Small" }, ids);
  await tokens.revoke(tokens.list()[0].id);
  await tokens.create({ name: "TV", streams: ids }, ids);
});

Deno.test("a use that cannot be noted still opens", async () => {
  await using file = await tokensFile();
  const tokens = await file.open();
  const { token } = await tokens.create({ name: "TV" }, STREAMS);
  await logged(async () => {
    await Deno.remove(file.folder, { recursive: true });
    assert.ok(tokens.use(token));
    await tokens.settled();
    assert.ok(tokens.use(token));
  });
});

Deno.test("a change that cannot be written is told and changes nothing", async () => {
  await using file = await tokensFile();
  const tokens = await file.open();
  const { info, token } = await tokens.create({ name: "TV" }, STREAMS);
  await Deno.remove(file.folder, { recursive: true });
  await assert.rejects(tokens.create({ name: "Bar" }, STREAMS));
  await assert.rejects(tokens.revoke(info.id));
  assert.equal(tokens.list().length, 1);
  assert.ok(tokens.use(token));
  await tokens.settled();
});

Deno.test("changes at the same time are all kept", async () => {
  await using file = await tokensFile();
  const tokens = await file.open();
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, at) => tokens.create({ name: `${at}` }, STREAMS)),
  );
  await Promise.all(made.slice(0, 10).map(({ info }) => tokens.revoke(info.id)));
  assert.equal((await file.open()).list().length, 10);
});

Deno.test("the number of tokens is limited", async () => {
  await using file = await tokensFile();
  const record = (at: number) => ({
    id: at.toString(16).padStart(12, "0"),
    name: `${at}`,
    hash: at.toString(16).padStart(64, "0"),
    createdAt: START,
  });
  const full = Array.from({ length: MAX_ACCESS_TOKENS }, (_, at) => record(at));
  await Deno.writeTextFile(file.path, JSON.stringify({ tokens: full }));
  const tokens = await file.open();
  const isFull = (error: unknown) => error instanceof ServiceError && error.status === 409;
  await assert.rejects(tokens.create({ name: "One more" }, STREAMS), isFull);
  await tokens.revoke(full[0].id);
  await tokens.create({ name: "One more" }, STREAMS);
});

Deno.test("a deleted stream is no longer opened, nor a later one of its id", async () => {
  await using file = await tokensFile();
  const tokens = await file.open();
  await tokens.create({ name: "Both", streams: ["news", "clock"] }, STREAMS);
  await tokens.create({ name: "One", streams: ["news"] }, STREAMS);
  await tokens.create({ name: "All" }, STREAMS);
  await tokens.forgetStream(streamId("news"));
  assert.deepEqual((await file.open()).list().map(({ streams }) => streams), [["clock"], [], null]);
});

Deno.test("what others put into the file stays there", async () => {
  await using file = await tokensFile();
  await (await file.open()).create({ name: "TV" }, STREAMS);
  const content = JSON.parse(await file.onDisk());
  content.version = 7;
  content.tokens[0].note = { colour: "red" };
  await Deno.writeTextFile(file.path, JSON.stringify(content));
  const tokens = await file.open();
  await tokens.create({ name: "Bar" }, STREAMS);
  const after = JSON.parse(await file.onDisk());
  assert.deepEqual([after.version, after.tokens[0].note], [7, { colour: "red" }]);
  assert.ok(!("note" in tokens.list()[0]), "and is not shown");
});

const RECORD = { id: "0".repeat(12), name: "TV", hash: "0".repeat(64), createdAt: START };

const UNUSABLE: [content: string, problem: RegExp][] = [
  ["", /not valid JSON/],
  ['{"tokens": [', /not valid JSON/],
  ["null", /no list "tokens"/],
  ["[]", /no list "tokens"/],
  ['{"tokens": {}}', /no list "tokens"/],
  [JSON.stringify({ tokens: [RECORD, 5] }), /entry 2/],
  [JSON.stringify({ tokens: [{ ...RECORD, hash: "abc" }] }), /entry 1, field "hash"/],
  [JSON.stringify({ tokens: [{ ...RECORD, expiresAt: "soon" }] }), /entry 1, field "expiresAt"/],
  [JSON.stringify({ tokens: [{ ...RECORD, streams: "news" }] }), /entry 1, field "streams"/],
  [JSON.stringify({ tokens: [{ ...RECORD, id: "../x" }] }), /entry 1, field "id"/],
  [JSON.stringify({ tokens: [RECORD, { ...RECORD, hash: "1".repeat(64) }] }), /two entries have one id/],
];

Deno.test("a file that cannot be read opens nothing: it is told with its path, and stays", async () => {
  await using file = await tokensFile();
  for (const [content, problem] of UNUSABLE) {
    await Deno.writeTextFile(file.path, content);
    await assert.rejects(file.open(), (error) => {
      assert.ok(error instanceof AccessFileError, content);
      assert.match(error.message, problem);
      return error.message.includes(file.path);
    });
    assert.equal(await file.onDisk(), content);
  }
});
