import { strict as assert } from "node:assert";
import { playlistUrl } from "../support/channel.ts";
import { checkChannel } from "../support/channel_checks.ts";
import { fetchPlaylist, probe, sound } from "../support/media.ts";
import { startService, until } from "../support/service.ts";

Deno.test("a page becomes a channel that real players can play", (t) => checkChannel(t, {}));

Deno.test("size, pace, delay and silence are as asked", async () => {
  const service = await startService();
  try {
    const asked = Date.now();
    const fields = {
      name: "Small",
      resolution: "1280x720",
      scale: "640x360",
      fps: 10,
      audio: false,
      delay: "2s",
    };
    const { id } = await service.create(fields);
    const url = playlistUrl(service, id);
    await until("a segment", 8000, async () => {
      const playlist = await fetchPlaylist(url);
      if (!playlist || playlist.segments.length === 0) return false;
      assert.ok(Date.now() - asked >= 2000, "it did not wait for the delay");
      return playlist.segments.length >= 3;
    });
    const { streams } = await probe(url);
    const video = streams.find(({ codec_type }) => codec_type === "video")!;
    assert.deepEqual([video.width, video.height, video.r_frame_rate], [640, 360, "10/1"]);
    assert.ok(streams.some(({ codec_name }) => codec_name === "aac"), "silence is an audio track too");
    assert.ok((await sound(url, 2)).rms < 0.001);
  } finally {
    await service.stop();
  }
});
