import assert from "node:assert/strict";
import { parseConfig } from "../../../../lib/config.ts";
import { mediaConfig } from "../../../../lib/channel/media/config.ts";
import { longestSegmentMs, TARGETS } from "../../../../lib/model/segments.ts";
import { loadTemplates } from "../../../../lib/templates.ts";
import { root } from "../../../support/fixture.ts";

const secrets = { publishSecret: "0123", mediaKey: null };
const paths = {
  runDir: "/run/x",
  hlsDir: "/run/x/hls",
  mediaDir: "/run/x/media",
  mediaSocket: "/run/x/media/own.sock",
  mediaPlaySocket: "/run/x/media/play.sock",
};
const text = mediaConfig(parseConfig({}), paths, await loadTemplates(root), secrets);

Deno.test("an application for each target duration; another one cleans the folder that all share", () => {
  const applications = [...text.matchAll(/application (\S+) \{([^]*?)\n {4}\}/g)];
  const cleaning = applications.map(([, name, rules]) => [name, /hls_cleanup (\w+);/.exec(rules)![1]]);
  const channels = ["live", "live-2", "live-3", "live-4"];
  assert.deepEqual(cleaning, [...channels.map((name) => [name, "off"]), ["cleaner", "on"]]);
  const longest = [...text.matchAll(/hls_max_fragment (\d+)ms;/g)].map(([, value]) => Number(value));
  assert.deepEqual(longest, [1499, 2499, 3499, 4499]);
});

Deno.test("nobody publishes to the one that cleans, and no segment is removed while it is listed", () => {
  const [, rules] = /application cleaner \{([^]*?)\n {4}\}/.exec(text)!;
  assert.match(rules, /deny publish all;\s+deny play all;/);
  const secondsOf = (name: string, from: string) => Number(new RegExp(`${name} (\\d+)s;`).exec(from)![1]);
  const listed = secondsOf("hls_playlist_length", text) / secondsOf("hls_fragment", text);
  assert.ok(
    2 * secondsOf("hls_playlist_length", rules) > (listed + 1) * longestSegmentMs(TARGETS.at(-1)!) / 1000,
  );
});

Deno.test("who has the key publishes only where there is a list to go on from", () => {
  const publish = /location = \/publish \{[^]*?return 204;/.exec(text)![0];
  assert.ok(publish.indexOf("return 403") < publish.indexOf("!-f $document_root/live/$arg_name/index.m3u8"));
});

Deno.test("who fills the port is counted from the first byte on, has 10 s for a request, and keeps the web app out of nothing", () => {
  const [, counted] = /\nstream \{([^]*?)\n\}/.exec(text)!;
  assert.match(counted, /listen 127\.0\.0\.1:8888;[^]*limit_conn peers 500;/);
  assert.match(text, /client_header_timeout 10000ms;/);
  assert.match(text, /listen unix:\/run\/x\/media\/own\.sock;/);
  // that way alone leads in
  assert.doesNotMatch(/\nhttp \{([^]*)/.exec(text)![1], /listen (?!unix:)/);
});
