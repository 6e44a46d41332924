import assert from "node:assert/strict";
import { parseConfig } from "../../../lib/config.ts";
import { mediaConfig } from "../../../lib/media/config.ts";
import { loadTemplates } from "../../../lib/templates.ts";
import { root } from "../../support/fixture.ts";

const secrets = { publishSecret: "0123", mediaKey: null };
const paths = { runDir: "/run/x", hlsDir: "/run/x/hls" };
const text = mediaConfig(parseConfig({}), paths, await loadTemplates(root), secrets);

Deno.test("an application for each target duration; one cleans the folder that all share", () => {
  const names = [...text.matchAll(/application (\S+) \{/g)].map(([, name]) => name);
  assert.deepEqual(names, ["live", "live-2", "live-3", "live-4"]);
  const cleaners = [...text.matchAll(/hls_cleanup (\w+);/g)].map(([, value]) => value);
  assert.deepEqual(cleaners, ["on", "off", "off", "off"]);
  const longest = [...text.matchAll(/hls_max_fragment (\d+)ms;/g)].map(([, value]) => Number(value));
  assert.deepEqual(longest, [1499, 2499, 3499, 4499]);
});

Deno.test("who has the key publishes only where there is a list to go on from", () => {
  const publish = /location = \/publish \{[^]*?return 204;/.exec(text)![0];
  assert.ok(publish.indexOf("return 403") < publish.indexOf("!-f $document_root/live/$arg_name/index.m3u8"));
});
