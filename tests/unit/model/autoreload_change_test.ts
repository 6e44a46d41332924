import assert from "node:assert/strict";
import { ServiceError } from "../../../lib/errors.ts";
import { autoReloadChange } from "../../../lib/model/change.ts";

const GOOD = [
  { autoReload: true },
  { autoReloadInterval: 0.5 },
  { autoReload: false, autoReloadInterval: "5" },
];
for (const body of GOOD) {
  Deno.test(`${JSON.stringify(body)} is taken as it is`, () =>
    assert.deepEqual(autoReloadChange(body), body));
}

const BAD: [body: unknown, fields: string[]][] = [
  [{}, ["autoReload", "autoReloadInterval"]],
  [{ autoReload: true, url: "https://example.org/" }, ["url"]],
  [{ desiredState: "stopped", pass: "" }, ["desiredState", "pass"]],
  [JSON.parse('{"__proto__": {"autoReload": true}}'), ["__proto__"]],
  [{ constructor: 1 }, ["constructor"]],
  [[], []],
  [null, []],
  ["autoReload", []],
];
for (const [body, fields] of BAD) {
  Deno.test(`${JSON.stringify(body)} is refused, naming ${fields}`, () => {
    assert.throws(() => autoReloadChange(body), (error) => {
      assert.ok(error instanceof ServiceError && error.status === 400);
      assert.deepEqual(Object.keys(error.fields!), fields);
      return true;
    });
  });
}
