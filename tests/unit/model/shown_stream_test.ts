import { strict as assert } from "node:assert";
import { publicStream, streamFields } from "../../../lib/model/schema.ts";
import { isSecret, SECRET_FIELDS, setName } from "../../../lib/model/secrets.ts";
import { shownEvents, shownStatus, shownStream } from "../../../lib/model/shown_stream.ts";
import { aStream } from "../../support/fixture.ts";

Deno.test("a viewer's stream has each field of an editor's, and none of other tools", () => {
  const whole = publicStream(aStream({ note: "x", pass: "p" }));
  const shown = shownStream(whole, "viewer");
  const fields = Object.keys(streamFields.shape).filter((field) => !isSecret(field));
  const own = [...fields, ...SECRET_FIELDS.map(setName), "id", "order", "revision", "desiredState"];
  assert.deepEqual(Object.keys(shown).toSorted(), own.toSorted());
  assert.deepEqual([shown.passSet, shown.pushKeySet], [true, false]);
  for (const role of ["operator", "admin"] as const) assert.equal(shownStream(whole, role), whole);
});

Deno.test("a viewer is told whether a channel keeps its past, and for whom", () => {
  for (const [rewind, rewindFor] of [[true, "operators"], [true, "viewers"], [false, "operators"]]) {
    const shown = shownStream(publicStream(aStream({ rewind, rewindFor })), "viewer");
    assert.deepEqual([shown.rewind, shown.rewindFor], [rewind, rewindFor]);
  }
});

Deno.test("a viewer is told of the next page the server, and of the console that there was an error", () => {
  const status = { id: "a", state: "running", programs: [] } as const;
  const next = { ...status, programs: [], nextPage: { url: "https://a.example/x?token=1", at: 1 } };
  assert.equal(shownStatus(next, "viewer").nextPage!.url, "https://a.example/");
  assert.equal(shownStatus(next, "operator"), next);
  const event = { id: 1, at: 1, level: "error", count: 1, lastAt: 1 } as const;
  const events = [
    { ...event, kind: "console", text: "token is abc" } as const,
    { ...event, kind: "page", text: "It is at https://a.example/x?token=1 now." } as const,
  ];
  const [logged, moved] = shownEvents({ events, next: "2" }, "viewer").events;
  assert.doesNotMatch(logged.text, /abc/);
  assert.equal(moved.text, "It is at a.example now.");
  assert.equal(shownEvents({ events, next: "2" }, "operator").events, events);
});
