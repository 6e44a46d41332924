import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { CARD_SIZES, THEMES } from "../../../components/prefs/prefs.ts";
import { FIRST_PAINT_SCRIPT } from "../../../lib/http/inline_script.ts";
import { withSecurityHeaders } from "../../../lib/http/headers.ts";

/** Runs the script in a world of its own; returns what it put on <html>. */
function run(stored: string | null | Error): Record<string, string> {
  const dataset: Record<string, string> = {};
  const localStorage = {
    getItem() {
      if (stored instanceof Error) throw stored;
      return stored;
    },
  };
  new Function("localStorage", "document", FIRST_PAINT_SCRIPT)(localStorage, {
    documentElement: { dataset },
  });
  return dataset;
}

Deno.test("size and theme are on the page before the first paint; anything odd means the defaults", () => {
  for (const size of CARD_SIZES.filter((size) => size !== "md")) {
    assert.deepEqual(run(JSON.stringify({ cardSize: size })), { size });
  }
  for (const theme of THEMES.filter((theme) => theme !== "auto")) {
    assert.deepEqual(run(JSON.stringify({ theme })), { theme });
  }
  assert.deepEqual(run('{"cardSize":"md","theme":"auto"}'), {});
  for (
    const odd of [null, "", "{", "null", "7", '{"cardSize":"xl","theme":{"light":1}}', new Error("denied")]
  ) {
    assert.deepEqual(run(odd), {}, String(odd));
  }
});

Deno.test("the policy allows this inline script and no other", () => {
  const policy = withSecurityHeaders(new Response()).headers.get("content-security-policy")!;
  const hash = createHash("sha256").update(FIRST_PAINT_SCRIPT).digest("base64");
  assert.match(policy, new RegExp(`script-src 'self' 'sha256-${hash.replace(/[+/]/g, "\\$&")}';`));
  assert.ok(!policy.includes("unsafe"));
});
