import { strict as assert } from "node:assert";
import { DEFAULT_VNC_PREFS, readVncPrefs } from "../../../components/vnc/vncPrefs.ts";

Deno.test("what is stored holds, what is odd falls back by field", () => {
  assert.deepEqual(readVncPrefs('{"viewOnly":true,"isBarLow":true}'), { viewOnly: true, isBarLow: true });
  assert.deepEqual(readVncPrefs('{"viewOnly":true,"isBarLow":"yes"}'), { viewOnly: true, isBarLow: false });
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
