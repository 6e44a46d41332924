import assert from "node:assert/strict";
import { join } from "node:path";
import { playerHtml } from "../../../lib/media/player.ts";
import { root } from "../fixture.ts";

const template = await Deno.readTextFile(join(root, "templates/player.html"));

Deno.test("every name of the template is filled", () => {
  const page = playerHtml(template, { id: "my-id", name: "My Clock" });
  assert.doesNotMatch(page, /\{\{|\}\}|undefined/);
  assert.ok(page.includes("<title>My Clock</title>"));
  assert.ok(page.includes('"/api/hls/live/my-id/index.m3u8"'));
});

const NAMES = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  "</title><script>",
  "&lt;b&gt;",
];

Deno.test("a name is text, wherever it stands", () => {
  const plain = playerHtml(template, { id: "a", name: "NAME" });
  for (const name of NAMES) {
    const escaped = name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;").replaceAll("'", "&#39;");
    assert.equal(playerHtml(template, { id: "a", name }), plain.replaceAll("NAME", () => escaped), name);
  }
});

Deno.test("a name is never read as a template or a replacement pattern", () => {
  assert.equal(
    playerHtml("<p>{{name}}</p>", { id: "a", name: "{{id}} $& $` $1" }),
    "<p>{{id}} $&amp; $` $1</p>",
  );
});
