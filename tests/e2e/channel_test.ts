/** A page becomes a channel that real players can play. */
import { strict as assert } from "node:assert";
import { playlistUrl, untilPageShown } from "../support/channel.ts";
import { CHANNEL_CHECKS } from "../support/channel_checks.ts";
import { fetchPlaylist, probe, sound } from "../support/media.ts";
import { until } from "../support/same.ts";
import { sharedService } from "../support/service.ts";
import { tellTime } from "../support/times.ts";
import { inSoak } from "../support/soak.ts";

const serviceTest = sharedService();

for (const [name, check] of Object.entries(CHANNEL_CHECKS)) {
  serviceTest(name, async (service) => {
    const { id } = await service.sharedStream({ name: "Grafana – Übersicht", fps: 25, scale: "1280x720" });
    await untilPageShown(service, id, 0);
    await check(service, id);
  });
}

serviceTest("a stream is running after its delay, with its first segment", async (service) => {
  const requestedAt = performance.now();
  await using stream = await service.temporaryStream({ name: "New", delay: "2s" });
  await until("a playable segment", async () => {
    const playlist = await fetchPlaylist(playlistUrl(service, stream.id));
    return playlist && playlist.segments.length > 0;
  });
  const tookMs = performance.now() - requestedAt;
  assert.ok(tookMs >= 2000, "it did not wait for the delay");
  tellTime("create to first segment, with a delay of 2 s", tookMs / 1000, 8);
  await service.untilState(stream.id, "running");
});

inSoak(serviceTest)("size, frame rate and silence are as asked", async (service) => {
  const fields = { resolution: "1280x720", scale: "640x360", fps: 10, audio: false };
  await using stream = await service.temporaryStream({ name: "Small", ...fields });
  const url = playlistUrl(service, stream.id);
  await until("three segments", async () => ((await fetchPlaylist(url))?.segments.length ?? 0) >= 3);
  const { streams } = await probe(url);
  const video = streams.find(({ codec_type }) => codec_type === "video")!;
  assert.deepEqual([video.width, video.height, video.r_frame_rate], [640, 360, "10/1"]);
  assert.ok(streams.some(({ codec_name }) => codec_name === "aac"), "silence is an audio track too");
  assert.ok((await sound(url, 2)).rms < 0.001);
});
