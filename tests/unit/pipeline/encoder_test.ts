import assert from "node:assert/strict";
import { encoderCommand, firstTimestamp } from "../../../lib/pipeline/encoder.ts";
import { aStream } from "../../support/fixture.ts";

const NOW = Date.UTC(2026, 0, 1);

function command(fields: Record<string, unknown> = {}, hasSink = true): string[] {
  return encoderCommand(
    { stream: aStream(fields), display: 101, startedAt: 0 },
    { hasSink, rtmpPort: 1935, preset: "/run/home/my-id.ffpreset", now: NOW },
  );
}

/** The element after a flag, or undefined. */
const after = (argv: string[], flag: string, from = 0) => argv[argv.indexOf(flag, from) + 1];

Deno.test("it grabs its own display and sink, and publishes to its own path", () => {
  const argv = command({ id: "my-id", resolution: "1920x1080", scale: "1920x1080", fps: 30 });
  assert.equal(argv[0], "/usr/bin/ffmpeg");
  assert.ok(argv.indexOf("pulse") < argv.indexOf("x11grab"), "the sound comes first");
  assert.equal(after(argv, "-i"), "stream.monitor");
  assert.equal(after(argv, "-i", argv.indexOf("x11grab")), ":101.0");
  assert.deepEqual([after(argv, "-framerate"), after(argv, "-r"), after(argv, "-video_size")], [
    "30",
    "30",
    "1920x1080",
  ]);
  assert.equal(argv.at(-1), "rtmp://127.0.0.1:1935/live");
  assert.equal(after(argv, "-fpre"), "/run/home/my-id.ffpreset", "its name and key are in a file");
});

Deno.test("without a sink there is silence, never no audio track", () => {
  const argv = command({ audio: false }, false);
  assert.equal(after(argv, "-i"), "anullsrc=r=48000:cl=stereo");
  assert.ok(!argv.includes("pulse"));
  assert.deepEqual([after(argv, "-c:a"), after(argv, "-ar")], ["aac", "48000"]);
});

Deno.test("the picture has the size that was asked for, and HD colours as players take them for granted", () => {
  for (const [resolution, scale] of [["1280x720", "1280x720"], ["1280x720", "640x360"]]) {
    const argv = command({ resolution, scale });
    assert.equal(argv.filter((word) => word === "-vf").length, 1);
    assert.ok(after(argv, "-vf").startsWith(`scale=${scale.replace("x", ":")}:`), after(argv, "-vf"));
    assert.match(after(argv, "-vf"), /:out_color_matrix=bt709:out_range=tv,format=yuv420p$/);
    assert.deepEqual([after(argv, "-colorspace"), after(argv, "-color_range")], ["bt709", "tv"]);
  }
});

Deno.test("tune none passes no tune", () => {
  assert.ok(!command({ tune: "none" }).includes("-tune"));
  assert.equal(after(command({ tune: "film", preset: "slow" }), "-tune"), "film");
  assert.equal(after(command({ preset: "slow" }), "-preset"), "slow");
});

Deno.test("the GOP is one second by default and at most 4 s; equal on both flags", () => {
  for (const [gop, fps, frames] of [[0, 25, "25"], [50, 25, "50"], [240, 10, "40"]]) {
    const argv = command({ gop, fps });
    assert.deepEqual([after(argv, "-g"), after(argv, "-keyint_min"), after(argv, "-sc_threshold")], [
      frames,
      frames,
      "0",
    ]);
  }
});

Deno.test("rates mean to ffmpeg what they mean to us: its m is a thousandth", () => {
  const units: Record<string, number> = { "": 1, k: 1e3, K: 1e3, M: 1e6 };
  for (
    const [rate, bits] of [["1500k", 1.5e6], ["2m", 2e6], ["2M", 2e6], ["800000", 8e5], [
      "1500K",
      1.5e6,
    ]] as const
  ) {
    const argv = command({ bitrate: rate, bufsize: rate });
    for (const flag of ["-b:v", "-maxrate", "-bufsize"]) {
      const [, number, unit] = /^([\d.]+)(.?)$/.exec(after(argv, flag))!;
      assert.equal(Number(number) * units[unit], bits, `${flag} ${after(argv, flag)}`);
    }
  }
});

Deno.test("only the id and checked values of a stream reach the command", () => {
  const texts = { name: "-y $(x)", url: "https://a/--x", user: "--user", pass: "s3cret", future: "-vn" };
  const argv = command(texts);
  assert.deepEqual(argv, command());
  for (const text of Object.values(texts)) assert.ok(!argv.some((word) => word.includes(text)), text);
});

Deno.test("the timestamps of an encoder go on where the clock is, within what MPEG-TS and RTMP can count", () => {
  const offset = Number(after(command(), "-output_ts_offset"));
  assert.ok(Math.abs(offset - firstTimestamp(NOW)) < 0.001);
  // 4 s later, in ticks of 90 kHz and 33 bits
  const ticks = (now: number) => Math.round(firstTimestamp(now) * 90_000);
  assert.equal((ticks(NOW + 4000) - ticks(NOW) + 2 ** 33) % 2 ** 33, 360_000);
  for (let day = 0; day < 400; day++) {
    const start = firstTimestamp(NOW + day * 86_400_000);
    assert.ok(start >= 0 && start * 1000 < 2 ** 31, `${start}`);
  }
});
