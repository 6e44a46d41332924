import { strict as assert } from "node:assert";
import { changes, differences } from "../../../components/form/draft.ts";
import { copyName, groupsOf } from "../../../components/form/suggestions.ts";
import { problemsOf, storedValue } from "../../../components/form/validation.ts";
import { publicStream } from "../../../lib/model/schema.ts";
import { aStream } from "../../support/fixture.ts";

const stream = (fields: Record<string, unknown> = {}) => publicStream(aStream({ name: "Clock", ...fields }));

Deno.test("a draft's changes are the fields that would be stored differently, as typed", () => {
  const base = stream({ bitrate: "2M", delay: 15, audio: true });
  const draft = { name: " Clock ", bitrate: "2m", delay: "15s", fps: "25", audio: false, group: "Ops" };
  assert.deepEqual(changes(draft, base, storedValue), { audio: false, group: "Ops" });
  assert.deepEqual(changes({ fps: "many" }, base, storedValue), { fps: "many" });
});

Deno.test("without the rules a draft's changes are found by their text", () => {
  assert.deepEqual(changes({ name: "Clock", fps: "25", delay: "15s" }, stream({ delay: 15 })), {
    delay: "15s",
  });
});

Deno.test("a password in the draft is always a change, even an empty one", () => {
  assert.deepEqual(changes({ pass: "" }, stream({ pass: "x" }), storedValue), { pass: "" });
});

Deno.test("differences are what either of two people changed, unless both want the same", () => {
  const base = stream({ group: "A" });
  const current = stream({ group: "B", fps: 30, audio: false });
  assert.deepEqual(differences({ name: "Mine", audio: false }, base, current, storedValue), [
    { field: "name", label: "Name", yours: "Mine", theirs: "Clock" },
    { field: "group", label: "Group", yours: null, theirs: "B" },
    { field: "fps", label: "Frames per second", yours: null, theirs: "30" },
  ]);
});

Deno.test("differences call empty texts and switches by words, and never show a password", () => {
  const base = stream({ pass: "old secret" });
  const current = stream({ group: "B", audio: true });
  const found = differences({ group: "", audio: false, pass: "new secret" }, base, current, storedValue);
  assert.deepEqual(found.map(({ label, yours, theirs }) => [label, yours, theirs]), [
    ["Group", "empty", "B"],
    ["Password", "a new one", "none"],
    ["Send the page's sound", "no", "yes"],
  ]);
});

Deno.test("a password that was cleared by both, or by nobody here, is no quarrel", () => {
  const base = stream({ pass: "x" });
  assert.deepEqual(differences({ pass: "" }, base, stream(), storedValue), []);
  assert.deepEqual(differences({}, base, stream(), storedValue).map(({ yours, theirs }) => [yours, theirs]), [
    [null, "none"],
  ]);
});

Deno.test("a copy's name is free and fits", () => {
  assert.equal(copyName("Clock", []), "Clock copy");
  assert.equal(copyName("Clock", ["Clock copy", "Clock copy 2"]), "Clock copy 3");
  const long = copyName("x".repeat(120), []);
  assert.equal(long.length, 120);
  assert.deepEqual(problemsOf({ name: long, url: "http://a.example" }), {});
});

Deno.test("groups stand once and sorted", () => {
  const streams = ["Ops", "", "Lobby", "Ops"].map((group) => stream({ group }));
  assert.deepEqual(groupsOf(streams), ["Lobby", "Ops"]);
});

Deno.test("the browser's rules say what the service says", () => {
  assert.deepEqual(problemsOf({ name: "Clock", url: "http://a.example", fps: "10", delay: "15s" }), {});
  const problems = problemsOf({ name: " ", url: "file:///etc/passwd", fps: "99" });
  assert.deepEqual(Object.keys(problems).sort(), ["fps", "name", "url"]);
  assert.match(problems.url, /http/);
});
