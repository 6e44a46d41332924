import assert from "node:assert/strict";
import { ServiceError } from "../../../../lib/errors.ts";
import { accessTokenFromBody, opensStream } from "../../../../lib/model/answers/access.ts";
import { streamId } from "../../../../lib/model/id.ts";

const NOW = Date.UTC(2026, 10, 22);
const KNOWN = ["news", "clock"];

function problemsOf(body: unknown): string[] {
  try {
    accessTokenFromBody(body, KNOWN, NOW);
    return [];
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.status === 400, String(error));
    assert.ok(error.message.length > 10);
    return Object.keys(error.fields!);
  }
}

Deno.test("a token needs a name alone, and then opens everything for ever", () => {
  assert.deepEqual(accessTokenFromBody({ name: "TV" }, KNOWN, NOW), {
    name: "TV",
    expiresAt: null,
    group: "",
    streams: null,
  });
});

Deno.test("settings of a token are taken as they are meant", () => {
  const settings = accessTokenFromBody(
    { name: "TV", expiresAt: "2027-01-31T12:00:00+01:00", streams: ["news", "clock", "news"] },
    KNOWN,
    NOW,
  );
  assert.equal(settings.expiresAt, Date.UTC(2027, 0, 31, 11));
  assert.deepEqual(settings.streams, ["news", "clock"]);
  assert.equal(
    accessTokenFromBody({ name: "TV", expiresAt: NOW + 1, group: " Walls " }, KNOWN, NOW).group,
    "Walls",
  );
});

const BAD: [body: unknown, fields: string[]][] = [
  [null, []],
  ["TV", []],
  [[], []],
  [{}, ["name"]],
  [{ name: " \n" }, ["name"]],
  [{ name: "x".repeat(61) }, ["name"]],
  [{ name: { toString: "x" } }, ["name"]],
  [{ name: "TV", expires: "2027-01-31T12:00:00Z" }, []],
  [{ name: "TV", hash: "0".repeat(64) }, []],
  [{ name: "TV", expiresAt: "tomorrow" }, ["expiresAt"]],
  [{ name: "TV", expiresAt: "2027-01-31" }, ["expiresAt"]],
  [{ name: "TV", expiresAt: NOW }, ["expiresAt"]],
  [{ name: "TV", expiresAt: 1e300 }, ["expiresAt"]],
  [{ name: "TV", expiresAt: NaN }, ["expiresAt"]],
  [{ name: "TV", streams: [] }, ["streams"]],
  [{ name: "TV", streams: "news" }, ["streams"]],
  [{ name: "TV", streams: ["gone"] }, ["streams"]],
  [{ name: "TV", streams: ["../news"] }, ["streams"]],
  [{ name: "TV", streams: ["__proto__"] }, ["streams"]],
  [{ name: "TV", streams: ["news"], group: "Walls" }, ["streams"]],
  [{ name: "TV", group: 5 }, ["group"]],
];

Deno.test("a body that cannot be meant is refused, each field with its problem", () => {
  for (const [body, fields] of BAD) {
    const what = JSON.stringify(body);
    let isRefused = false;
    try {
      accessTokenFromBody(body, KNOWN, NOW);
    } catch {
      isRefused = true;
    }
    assert.ok(isRefused, what);
    assert.deepEqual(problemsOf(body), fields, what);
  }
});

Deno.test("a token opens all streams, a group's whatever its case, or the chosen ones", () => {
  const news = { id: "news", group: "walls" };
  const clock = { id: "clock", group: "" };
  const opened = (scope: { group?: string; streams?: string[] }) =>
    [news, clock].filter((stream) =>
      opensStream({ group: scope.group ?? "", streams: scope.streams?.map(streamId) ?? null }, stream)
    ).map(({ id }) => id);
  assert.deepEqual(opened({}), ["news", "clock"]);
  assert.deepEqual(opened({ group: "WALLS" }), ["news"]);
  assert.deepEqual(opened({ group: "wall" }), []);
  assert.deepEqual(opened({ streams: ["clock"] }), ["clock"]);
  assert.deepEqual(opened({ streams: [] }), []);
  assert.deepEqual(opened({ group: "walls", streams: ["clock"] }), [], "a file may say both");
});
