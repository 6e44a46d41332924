/** Texts of users and of pages are texts, on every page and in every file that shows them. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { appTest } from "../support/app.ts";

const ATTACKS = [
  "<script>alert(1)</script>",
  "</script><script>alert(1)</script>",
  "</title><img src=x onerror=alert(1)>",
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus=alert(1) x='",
  "<!--<script>alert(1)</script>",
  "]]><script>alert(1)</script>",
  "{{name}}<svg/onload=alert(1)>",
  "&lt;script&gt;<script>alert(1)</script>",
];

const PAGES = ["/", "/player/x", "/static/x", "/player/x.html", "/vnc/x", "/streams/x/log", "/streams/x"];

/** What only an attack that worked can have made, where values in double quotes are left out. */
const MADE = /<(?:script|img|svg)[^>]*(?:>alert|onerror|onload|onfocus)|<[^>]*['"] (?:autofocus|onfocus)/i;

function worked(markup: string): boolean {
  return MADE.test(markup.replace(/="[^"]*"/g, '=""'));
}

for (const attack of ATTACKS) {
  appTest(`shown as text: ${attack}`, async (app) => {
    const url = `https://example.org/?q=${encodeURIComponent(attack)}#${attack}`;
    const stream = { id: "x", name: `N ${attack}`, group: attack.slice(0, 60), url, desiredState: "stopped" };
    await app.create(stream);
    const logs = join(app.paths.logsDir, "x");
    await Deno.mkdir(logs, { recursive: true });
    await Deno.writeTextFile(join(logs, "browser.log"), `${attack}\n`);
    for (const path of [...PAGES, `/none/${encodeURIComponent(attack)}`]) {
      const answer = await app.fetch(path);
      assert.match(answer.headers.get("content-type")!, /^text\/html/, path);
      assert.ok(!worked(await answer.text()), path);
    }
    const guide = await (await app.fetch("/epg.xml")).text();
    assert.ok(!worked(guide));
    const texts = [
      "/api/streams",
      "/api/streams/x/log/browser",
      "/playlist.m3u",
      `/api/${encodeURI(attack)}`,
    ];
    for (const path of texts) {
      const answer = await app.fetch(path);
      assert.doesNotMatch(answer.headers.get("content-type")!, /html|xml/, path);
      await answer.text();
    }
  });
}

Deno.test("an attack that works would be noticed", () => {
  for (const attack of ATTACKS) {
    const [text, quoted] = [`<p>${attack}</p>`, `<p title='${attack}'>`];
    assert.ok(worked(text) || worked(quoted) || worked(`<p title="${attack}">`), attack);
  }
});
