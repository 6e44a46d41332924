import assert from "node:assert/strict";
import {
  applicationOf,
  gopFrames,
  longestSegmentMs,
  rtmpApplication,
  targetDuration,
} from "../../../lib/model/segments.ts";

const CASES: [fps: number, gop: number, frames: number, target: number, application: string][] = [
  [25, 0, 25, 1, "live"],
  [10, 0, 10, 1, "live"],
  [1, 0, 1, 1, "live"],
  [25, 25, 25, 1, "live"],
  [25, 10, 10, 1, "live"], // segments of 1.2 s
  [10, 7, 7, 1, "live"], // 1.4 s
  [10, 9, 9, 2, "live-2"], // 1.8 s
  [30, 50, 50, 2, "live-2"], // 1.67 s
  [25, 50, 50, 2, "live-2"],
  [25, 75, 75, 3, "live-3"],
  [25, 600, 100, 4, "live-4"],
];

for (const [fps, gop, frames, target, application] of CASES) {
  Deno.test(`a keyframe every ${gop || "second's"} frames of ${fps} a second: target duration ${target}`, () => {
    assert.equal(gopFrames({ fps, gop }), frames);
    assert.equal(targetDuration({ fps, gop }), target);
    assert.equal(rtmpApplication({ fps, gop }), application);
  });
}

Deno.test("whatever frame rate and interval: no segment is longer than the media server lets it be", () => {
  for (let fps = 1; fps <= 60; fps++) {
    for (let gop = 0; gop <= 600; gop++) {
      const keyframeMs = gopFrames({ fps, gop }) / fps * 1000;
      const segmentMs = Math.ceil(1000 / keyframeMs - 1e-6) * keyframeMs;
      assert.ok(segmentMs <= longestSegmentMs(targetDuration({ fps, gop })) + 1e-6, `${fps} ${gop}`);
    }
  }
});

Deno.test("the application 'live' is that of segments of a second", () => {
  assert.equal(applicationOf(1), "live");
});

Deno.test("a GOP is one second, at most the media server's 4 s", () => {
  const table = [[0, 25, 25], [0, 1, 1], [50, 25, 50], [240, 25, 100], [240, 60, 240], [5, 1, 4]];
  for (const [gop, fps, frames] of table) assert.equal(gopFrames({ gop, fps }), frames, `${gop} at ${fps}`);
});
