import { strict as assert } from "node:assert";
import { DEFAULT_VNC_PREFS, readVncPrefs } from "../../../components/vnc/vncPrefs.ts";

Deno.test("what is stored holds, what is odd falls back by field", () => {
  assert.deepEqual(readVncPrefs('{"viewOnly":true,"isBarLow":false}'), { viewOnly: true, isBarLow: false });
  assert.deepEqual(readVncPrefs('{"viewOnly":true,"isBarLow":"no"}'), { viewOnly: true, isBarLow: true });
  for (
    const odd of [
      null,
      "",
      "{",
      "null",
      "3",
      "[]",
      '"x"',
      '{"viewOnly":1}',
      '{"__proto__":{"viewOnly":true}}',
    ]
  ) {
    assert.deepEqual(readVncPrefs(odd), DEFAULT_VNC_PREFS, String(odd));
  }
});
