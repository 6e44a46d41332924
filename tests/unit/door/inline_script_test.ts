import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { CARD_SIZES } from "../../../components/prefs/cardSize.ts";
import { THEMES } from "../../../components/prefs/prefs.ts";
import { FIRST_PAINT_SCRIPT } from "../../../lib/door/inline_script.ts";
import { withSecurityHeaders } from "../../../lib/door/headers.ts";

const DESKTOP =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36";

/** Runs the script in a world of its own; returns what it put on <html>. */
function run(
  stored: string | null | Error,
  { userAgent = DESKTOP, hasPointer = true } = {},
): Record<string, string> {
  const dataset: Record<string, string> = {};
  const localStorage = {
    getItem() {
      if (stored instanceof Error) throw stored;
      return stored;
    },
  };
  const matchMedia = (query: string) => ({ matches: query === "(any-pointer:none)" && !hasPointer });
  new Function("localStorage", "document", "navigator", "matchMedia", FIRST_PAINT_SCRIPT)(
    localStorage,
    { documentElement: { dataset } },
    { userAgent },
    matchMedia,
  );
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

const TELEVISIONS = [
  "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.79 Safari/537.36",
  "Mozilla/5.0 (SMART-TV; LINUX; Tizen 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/5.0 TV Safari/537.36",
  "Mozilla/5.0 (Linux; Android 9; BRAVIA 4K UR2) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/96.0 Safari/537.36",
  "Mozilla/5.0 (Linux; Android 9; AFTMM Build/PS7223) AppleWebKit/537.36 (KHTML, like Gecko) Silk/96.3 Safari/537.36",
  "Mozilla/5.0 (X11; Linux armv7l) AppleWebKit/537.36 Chrome/84.0 Safari/537.36 CrKey/1.56.500000",
];
const OTHERS = [
  DESKTOP,
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36",
];

Deno.test("a television is told by its name, or by having neither mouse nor touch", () => {
  for (const userAgent of TELEVISIONS) assert.deepEqual(run("{}", { userAgent }), { tv: "" }, userAgent);
  for (const userAgent of OTHERS) assert.deepEqual(run("{}", { userAgent }), {}, userAgent);
  assert.deepEqual(run("{}", { hasPointer: false }), { tv: "" });
});

Deno.test("the policy allows this inline script and no other", () => {
  const policy = withSecurityHeaders(new Response()).headers.get("content-security-policy")!;
  const hash = createHash("sha256").update(FIRST_PAINT_SCRIPT).digest("base64");
  assert.match(policy, new RegExp(`script-src 'self' 'sha256-${hash.replace(/[+/]/g, "\\$&")}';`));
  assert.ok(!policy.includes("unsafe"));
});
