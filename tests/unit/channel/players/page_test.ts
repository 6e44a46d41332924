import assert from "node:assert/strict";
import { join } from "node:path";
import { logoOrigins, mediaOrigin, playerHtml } from "../../../../lib/channel/players/page.ts";
import { escapeMarkup } from "../../../../lib/machine/tools/entities.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { root } from "../../../support/fixture.ts";

const template = await Deno.readTextFile(join(root, "templates/player.html"));
const A = streamId("a");
const asset = (path: string) => path;
const STEADY = { mode: "steady" };
const tv = await Deno.readTextFile(join(root, "templates/tv.html"));

Deno.test("every name of the templates is filled", () => {
  const stream = { id: streamId("my-id"), name: "My Clock" };
  for (
    const page of [
      playerHtml(template, stream, asset, STEADY),
      playerHtml(tv, stream, asset, { ...STEADY, mediaPort: 8888, mayStart: "" }),
    ]
  ) {
    assert.doesNotMatch(page, /\{\{|\}\}|undefined/);
    assert.ok(page.includes("<title>My Clock</title>"));
    assert.ok(page.includes('"/api/hls/live/my-id/index.m3u8"'));
    assert.match(page, /<video[^>]*\smuted\s/);
  }
});

Deno.test("only the TV player has buttons and knows of the media server", () => {
  const minimal = playerHtml(template, { id: A, name: "A" }, asset, STEADY);
  assert.doesNotMatch(minimal, /<button|data-media-port/);
  const page = playerHtml(tv, { id: A, name: "A" }, asset, { ...STEADY, mediaPort: 8888, mayStart: "" });
  assert.ok(
    page.includes('data-media-port="8888"') && page.includes('id="back"') && page.includes('id="mute"'),
  );
});

Deno.test("the media server is on the page's own host; a policy cannot name IPv6 addresses", () => {
  assert.equal(mediaOrigin("wall.example.org", 8888), "http://wall.example.org:8888");
  assert.equal(mediaOrigin("192.168.1.7", 8890), "http://192.168.1.7:8890");
  for (const host of ["[::1]", "a;script-src *", "a b", ""]) {
    assert.equal(mediaOrigin(host, 8888), null, host);
  }
});

const NAMES = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  "</title><script>",
  "&lt;b&gt;",
];

Deno.test("a name is text, wherever it stands", () => {
  const plain = playerHtml(template, { id: A, name: "NAME" }, asset, STEADY);
  for (const name of NAMES) {
    const expected = plain.replaceAll("NAME", () => escapeMarkup(name));
    assert.equal(playerHtml(template, { id: A, name }, asset, STEADY), expected, name);
  }
});

Deno.test("a name is never read as a template or a replacement pattern", () => {
  assert.equal(
    playerHtml("<p>{{name}}</p>", { id: A, name: "{{id}} $& $` $1" }, asset, STEADY),
    "<p>{{id}} $&amp; $` $1</p>",
  );
});

Deno.test("a policy names the hosts of logos once each, and only those that it can name", () => {
  const logos = [
    "",
    "http://nas.local/a.png",
    "http://nas.local/b.png",
    "https://x.example:8443/;'none'",
    "http://[::1]/c",
  ];
  assert.deepEqual(logoOrigins(logos.map((logo) => ({ logo }))), [
    "http://nas.local",
    "https://x.example:8443",
  ]);
  const many = Array.from({ length: 99 }, (_, at) => ({ logo: `http://h${at}.example/` }));
  assert.equal(logoOrigins(many).length, 50);
});
