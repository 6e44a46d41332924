import { strict as assert } from "node:assert";
import { addressesOf, cardLinks } from "../../../components/board/cardLinks.ts";

Deno.test("a card's links follow its preferences", () => {
  const plain = cardLinks("clock", { pureMode: false, openNewTab: false });
  assert.deepEqual(plain, {
    play: "/player/clock",
    html: "/static/clock",
    vnc: "/vnc/clock",
    log: "/streams/clock/log",
    target: {},
  });
  const pure = cardLinks("clock", { pureMode: true, openNewTab: true });
  assert.equal(pure.play, "/api/hls/live/clock/index.m3u8");
  assert.equal(pure.html, "/player/clock.html");
  assert.deepEqual([pure.vnc, pure.log], [plain.vnc, plain.log]);
  assert.deepEqual(pure.target, { target: "_blank", rel: "noopener" });
});

Deno.test("addresses for other programs are whole, and RTMP is honest about its reach", () => {
  const addresses = addressesOf({ id: "clock", gop: 0, fps: 25 }, "http://wall.example.org:3000", 1935);
  assert.deepEqual(addresses.map(({ text }) => text), [
    "http://wall.example.org:3000/api/hls/live/clock/index.m3u8",
    "http://wall.example.org:3000/player/clock",
    "rtmp://127.0.0.1:1935/live/clock",
  ]);
  const slow = addressesOf({ id: "clock", gop: 50, fps: 25 }, "", 1935);
  assert.equal(slow[2].text, "rtmp://127.0.0.1:1935/live-2/clock");
  assert.match(addresses[2].label, /this server only/);
  assert.equal(addressesOf({ id: "clock", gop: 0, fps: 25 }, "", null).length, 2, "none with a login");
});
