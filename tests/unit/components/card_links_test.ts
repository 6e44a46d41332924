import { strict as assert } from "node:assert";
import { shareAddresses } from "../../../components/share/shareAddresses.ts";
import type { StreamId } from "../../../lib/model/id.ts";
import { cardLinks } from "../../../components/board/card/cardLinks.ts";

Deno.test("a card's links follow its preferences", () => {
  const plain = cardLinks("clock", { pureMode: false, openNewTab: false });
  assert.deepEqual(plain, {
    play: "/player/clock",
    html: "/static/clock",
    vnc: "/vnc/clock",
    stream: "/streams/clock",
    log: "/streams/clock/log",
    target: {},
  });
  const pure = cardLinks("clock", { pureMode: true, openNewTab: true });
  assert.equal(pure.play, "/api/hls/live/clock/index.m3u8");
  assert.equal(pure.html, "/player/clock.html");
  assert.deepEqual([pure.vnc, pure.log], [plain.vnc, plain.log]);
  assert.deepEqual(pure.target, { target: "_blank", rel: "noopener" });
});

const CLOCK = { id: "clock" as StreamId, url: "https://clock.example.org/", gop: 0, fps: 25 };

Deno.test("addresses to share are whole, and RTMP is honest about its reach", () => {
  const origin = "http://wall.example.org:3000";
  const addresses = shareAddresses(CLOCK, origin, 1935);
  assert.deepEqual(Object.fromEntries(Object.entries(addresses).map(([kind, { url }]) => [kind, url])), {
    player: `${origin}/player/clock`,
    tv: `${origin}/static/clock`,
    minimal: `${origin}/player/clock.html`,
    feed: `${origin}/api/hls/live/clock/index.m3u8`,
    vnc: `${origin}/vnc/clock`,
    rtmp: "rtmp://127.0.0.1:1935/live/clock",
    page: "https://clock.example.org/",
  });
  assert.match(addresses.rtmp!.label, /this server only/);
  assert.equal(
    shareAddresses({ ...CLOCK, gop: 50 }, "", 1935).rtmp!.url,
    "rtmp://127.0.0.1:1935/live-2/clock",
  );
  assert.equal(shareAddresses(CLOCK, "", null).rtmp, undefined, "none with a login");
});
