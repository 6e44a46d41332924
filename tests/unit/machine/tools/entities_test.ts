import assert from "node:assert/strict";
import { escapeMarkup, unescapeMarkup } from "../../../../lib/machine/tools/entities.ts";

Deno.test("markup is escaped for content and attributes, and comes back", () => {
  const text = `<b>"A" &amp; 'B'</b>`;
  const escaped = "&lt;b&gt;&quot;A&quot; &amp;amp; &apos;B&apos;&lt;/b&gt;";
  assert.deepEqual([escapeMarkup(text), unescapeMarkup(escaped)], [escaped, text]);
});

Deno.test("numeric entities are read; what XML does not know stays", () => {
  assert.equal(unescapeMarkup("&#228; &#x1F600; &nbsp; &constructor; &"), "ä 😀 &nbsp; &constructor; &");
});
