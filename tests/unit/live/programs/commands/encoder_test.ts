import assert from "node:assert/strict";
import { encoderCommand, firstTimestamp } from "../../../../../lib/live/programs/commands/encoder.ts";
import { aStream } from "../../../../support/fixture.ts";

const NOW = Date.UTC(2026, 0, 1);

function command(
  fields: Record<string, unknown> = {},
  hasSink = true,
  pictures: string | null = null,
): string[] {
  return encoderCommand(
    { stream: aStream(fields), display: 101, startedAt: 0 },
    { hasSink, rtmpPort: 1935, preset: "/run/home/my-id.ffpreset", pictures, now: NOW },
  );
}

const SOCKET = "/run/pictures/101/video";

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

Deno.test("captured pictures are read from the socket as they are, at their own times", () => {
  const argv = command({ resolution: "1920x1080", scale: "1280x720" }, true, SOCKET);
  assert.ok(argv.indexOf("pulse") < argv.indexOf("matroska"), "the sound comes first");
  assert.equal(after(argv, "-i", argv.indexOf("matroska")), `unix:${SOCKET}`);
  for (const absent of ["x11grab", "-vf", "-r", "-framerate", "nobuffer"]) {
    assert.ok(!argv.includes(absent), absent);
  }
  assert.ok(argv.indexOf("-copyts") < argv.indexOf("-i") && argv.includes("-shortest"));
  assert.deepEqual([after(argv, "-fps_mode"), after(argv, "-x264-params")], ["passthrough", "force-cfr=0"]);
});

Deno.test("the timestamps of captured pictures are the clock's, within what MPEG-TS and RTMP can count", () => {
  for (const hasSink of [true, false]) {
    const argv = command({ audio: hasSink }, hasSink, SOCKET);
    const first = NOW / 1000 + Number(after(argv, "-output_ts_offset"));
    assert.ok(Math.abs(first - firstTimestamp(NOW)) <= 0.002, `${first}`);
    assert.ok(first >= 0);
    if (!hasSink) assert.equal(Number(after(argv, "-itsoffset")), NOW / 1000);
  }
});

/** The key frames that ffmpeg's expression makes of pictures at these times, in seconds. */
function keyFrames(expression: string, times: number[]): number[] {
  const code = expression.replace(/^expr:/, "").replace(/\bif\(/, "choose(");
  const scope = "prev_forced_t, t, floor, isnan, gte, choose";
  const isKey = new Function(...scope.split(", "), `return ${code}`);
  let last = NaN;
  return times.filter((t) => {
    const choose = (condition: boolean, yes: number, no: number) => condition ? yes : no;
    const isOne = isKey(last, t, Math.floor, isNaN, (a: number, b: number) => a >= b ? 1 : 0, choose);
    if (isOne) last = t;
    return isOne;
  });
}

Deno.test("captured pictures have a key frame wherever a segment may begin, and no more than that", () => {
  const cases: [fps: number, gop: number, times: number[], keys: number[]][] = [
    [25, 0, [0, 0.5, 1, 1.5, 2, 2.5, 3], [0, 1, 2, 3]],
    [25, 50, [0, 0.5, 1, 1.5, 2, 2.04, 2.5, 3, 4], [0, 2, 4]],
    // a still picture has none at 0.4 and 0.8; a moving one has
    [25, 10, [0, 0.4, 0.8, 1.2, 1.24, 1.6, 1.64, 2, 2.04, 2.4], [0, 0.4, 0.8, 1.2, 1.6, 2, 2.4]],
    [25, 10, [0, 0.6, 1.2, 1.8, 2.4], [0, 0.6, 1.2, 1.8, 2.4]],
    [7, 10, [0, 0.714, 1.429, 2.143, 2.857, 3.571, 4.286], [0, 1.429, 2.857, 4.286]],
  ];
  for (const [fps, gop, times, keys] of cases) {
    const argv = command({ fps, gop }, true, SOCKET);
    assert.deepEqual(keyFrames(after(argv, "-force_key_frames"), times), keys, `${gop} of ${fps}`);
  }
});
