/** Names of the playlist as VLC itself lists them. The rules of apps that cannot run here: tests/unit/channel/playlist/names_test.ts. */
import { strict as assert } from "node:assert";
import { channelsOf } from "../../lib/channel/playlist/channels.ts";
import { playlist } from "../../lib/channel/playlist/m3u.ts";
import { publicStream } from "../../lib/model/schema.ts";
import { aStream } from "../support/fixture.ts";
import { NAMES, seen, vlcName } from "../support/m3u_readers.ts";
import { listedByVlc } from "../support/vlc_list.ts";

Deno.test("VLC lists every name whole, and a line by the rule that we know of it", async () => {
  const [one] = channelsOf([publicStream(aStream({ group: "Ops; a, b" }))]);
  // nothing listens there
  const text = playlist(NAMES.map((name, at) => ({ ...one, name, id: `s${at}` })), "http://127.0.0.1:9");
  const old =
    '#EXTINF:-1 tvg-name="Sales, North" group-title="a, b",Sales, North\nhttp://127.0.0.1:9/x.m3u8\n';
  const names = await listedByVlc(text + old, NAMES.length + 1);
  assert.deepEqual(names.map(seen), [...NAMES, vlcName(old.split("\n")[0])]);
});
