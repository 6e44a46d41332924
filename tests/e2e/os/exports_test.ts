/** Films of the past by the real ffmpeg, and what ffprobe and ffmpeg say of them. */
import type { Speed } from "../../../lib/model/past.ts";
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { runBytes } from "../../../lib/machine/os/process.ts";
import { streamId } from "../../../lib/model/id.ts";
import { Exports } from "../../../lib/rewind/exports.ts";
import { tempDir } from "../../support/fixture.ts";
import { HD, secondOf } from "../../support/past.ts";
import { until } from "../../support/same.ts";
import { servedPast } from "../../support/served_past.ts";

const BEGIN = 2_000_000_040;
const CLOCK = streamId("clock");
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => BEGIN + from + at);

Deno.test("a film has each second for its time, without the gaps, at each speed", async () => {
  // of another size after a gap of a minute
  const pieces = [
    { number: 1, seconds: range(0, 100) },
    { number: 2, seconds: range(100, 160), reason: "visit" as const },
    { number: 3, seconds: range(220, 280), size: { width: 640, height: 360 } },
  ];
  await using served = await servedPast(pieces, BEGIN + 1000);
  await using dir = await tempDir();
  const machine = { runBytes, now: () => (BEGIN + 1000) * 1000 };
  const exports = await Exports.open({ folder: dir.path, machine, budget: () => Promise.resolve(1e9) });
  for (const speed of [1, 10, 60] as Speed[]) {
    const asked = { start: BEGIN + 20, end: BEGIN + 260, speed };
    const { id } = await exports.add(CLOCK, served.past, asked, "");
    await until("the film", () => exports.list(CLOCK, "")[0].state !== "making");
    assert.deepEqual(exports.list(CLOCK, "")[0].problem, null);
    const { path } = exports.file(CLOCK, id);
    const probe = new Deno.Command("ffprobe", {
      args: [
        "-v",
        "error",
        "-show_entries",
        "stream=codec_name,pix_fmt,width,height,duration",
        "-of",
        "csv=p=0",
        path,
      ],
    });
    const [codec, width, height, format, duration] = new TextDecoder().decode((await probe.output()).stdout)
      .trim().split(",");
    assert.deepEqual([codec, width, height, format], ["h264", "1280", "720", "yuv420p"]);
    const seconds = 140 + 40;
    assert.ok(Math.abs(Number(duration) - seconds / speed) < 0.21, `${duration} s at ${speed}x`);
    // the picture in the middle of each second's time, or of each second that has one
    const rate = Math.min(speed, 30);
    const args = ["-v", "error", "-i", path, "-vf", `fps=${rate}:start_time=0,scale=1280:720`];
    const show = ["-f", "rawvideo", "-pix_fmt", "gray", "-"];
    const { stdout } = await new Deno.Command("ffmpeg", { args: [...args, ...show] }).output();
    const shown = Array.from(
      { length: Math.floor(stdout.length / (HD.width * HD.height)) },
      (_, at) => secondOf(stdout.subarray(at * HD.width * HD.height), HD.width, HD) - BEGIN,
    );
    const all = [...range(20, 160), ...range(220, 260)].map((second) => second - BEGIN);
    const step = speed / rate;
    const expected = all.filter((_, at) => at % step === 0);
    assert.deepEqual(shown.slice(0, expected.length), expected, `${speed}x`);
  }
  await exports.stop();
  assert.ok((await Deno.stat(join(dir.path, CLOCK))).isDirectory);
});
