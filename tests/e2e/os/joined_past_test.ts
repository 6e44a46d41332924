/** What is seen of a past that two nodes have: pictures show their own second as bars, and ffmpeg and ffprobe say which. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import HLS from "hls-parser";
import { run, runBytes } from "../../../lib/machine/os/process.ts";
import { streamId } from "../../../lib/model/id.ts";
import { Exports } from "../../../lib/rewind/exports.ts";
import { tempDir } from "../../support/fixture.ts";
import { HD, pastFolder, type PastPiece, secondOf, writePast } from "../../support/past.ts";
import { HERE, pretendedNodes } from "../../support/past_elsewhere.ts";
import { until } from "../../support/same.ts";
import { type ServedPast, servedPast } from "../../support/served_past.ts";

const BEGIN = 1_790_000_040;
const CLOCK = streamId("clock");
const SIGNAL = new AbortController().signal;

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => BEGIN + from + at);

/** b2 had the stream, a1 from 100 on, b2 from 200 on: each records some seconds before and after. b2 was also cut off once. */
const B2: PastPiece[] = [
  { number: 1, seconds: range(0, 60), end: BEGIN + 60 },
  { number: 2, seconds: range(60, 130), end: BEGIN + 130, reason: "stopped" },
  { number: 3, seconds: range(190, 260), end: BEGIN + 300 },
];
const A1: PastPiece[] = [{ number: 1, seconds: range(92, 203), end: BEGIN + 203, reason: "stopped" }];

async function withMoves(
  test: (served: ServedPast, nodes: ReturnType<typeof pretendedNodes>) => Promise<void>,
) {
  await using dir = await tempDir();
  await writePast(pastFolder({ rewindDir: dir.path }), B2);
  const nodes = pretendedNodes([["b2", BEGIN], [HERE, BEGIN + 100], ["b2", BEGIN + 200]], { b2: dir.path });
  await using served = await servedPast(A1, BEGIN + 1000, nodes);
  await test(served, nodes);
}

const query = (fields: Record<string, number>) =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]));

/** The samples of luma of what ffmpeg reads, in one size. */
async function luma(input: string[], size: string, bytes?: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const { code, stdout, stderr } = await runBytes(
    [
      ...["/usr/bin/ffmpeg", "-v", "warning", "-nostdin", ...input, "-fps_mode", "passthrough"],
      ...["-vf", `scale=${size}:flags=area`, "-f", "rawvideo", "-pix_fmt", "gray", "pipe:1"],
    ],
    {
      timeoutMs: 60_000,
      input: bytes && (async function* () {
        yield await Promise.resolve(bytes);
      })(),
    },
  );
  assert.equal(code, 0, stderr);
  return stdout;
}

function secondsIn(samples: Uint8Array, { width, height } = HD): number[] {
  return Array.from(
    { length: samples.length / (width * height) },
    (_, at) => secondOf(samples.subarray(at * width * height), width, { width, height }) - BEGIN,
  );
}

const shownAt = (at: number) => Math.min(at, 259);

Deno.test("a picture of each side of a move, and around it, is that of its second", () =>
  withMoves(async ({ past }) => {
    for (const at of [0, 59, 60, 91, 92, 98, 99, 100, 101, 150, 198, 199, 200, 201, 259, 299]) {
      const { bytes } = await past.picture(query({ at: BEGIN + at }), SIGNAL);
      const samples = await luma(["-f", "mjpeg", "-i", "pipe:0"], "1280:720", bytes);
      assert.deepEqual(secondsIn(samples), [shownAt(at)], `at ${at}`);
    }
  }));

Deno.test("a sheet over a move has the picture of each of its times", () =>
  withMoves(async ({ past }) => {
    for (const [start, step] of [[60, 1], [0, 2]]) {
      const { bytes } = await past.sheet(query({ start: BEGIN + start, step }), SIGNAL);
      const samples = await luma(["-f", "mjpeg", "-i", "pipe:0"], "1920:1080", bytes);
      for (let place = 0; place < 144; place++) {
        const [x, y] = [place % 12 * 160, Math.floor(place / 12) * 90];
        const at = start + place * step;
        if (at >= 300) continue;
        const shown = secondOf(samples, 1920, { width: 160, height: 90 }, x, y) - BEGIN;
        assert.equal(shown, shownAt(at), `at ${at} of steps of ${step}`);
      }
    }
  }));

Deno.test("a list over moves plays second by second, by ffprobe and ffmpeg", () =>
  withMoves(async (served) => {
    const [start, duration] = [20, 260];
    const url = served.list(`start=${BEGIN + start}&duration=${duration}`);
    const list = HLS.parse(await (await fetch(url)).text()) as HLS.types.MediaPlaylist;
    assert.ok(list.segments.every(({ discontinuity }) => !discontinuity), "the past goes on");
    assert.equal(list.segments.reduce((sum, one) => sum + one.duration, 0), duration);
    const probe = ["/usr/bin/ffprobe", "-v", "warning", "-show_entries", "packet=pts_time", "-of", "json"];
    const { stdout, stderr } = await run([...probe, url], { timeoutMs: 60_000 });
    assert.equal(stderr, "");
    const times = JSON.parse(stdout).packets.map((packet: { pts_time: string }) => Number(packet.pts_time));
    assert.deepEqual(times, Array.from({ length: duration }, (_, at) => at));
    const shown = secondsIn(await luma(["-i", url], "160:90"), { width: 160, height: 90 });
    assert.deepEqual(shown, Array.from({ length: duration }, (_, at) => shownAt(start + at)));
  }));

Deno.test("a film over moves has all parts, and one whose node goes away meanwhile says so", () =>
  withMoves(async ({ past }, nodes) => {
    await using dir = await tempDir();
    const machine = { runBytes, now: () => (BEGIN + 1000) * 1000 };
    const exports = await Exports.open({ folder: dir.path, machine, budget: () => Promise.resolve(1e9) });
    const asked = { start: BEGIN + 50, end: BEGIN + 250, speed: 1 as const };
    const { id } = await exports.add(CLOCK, past, asked, "");
    await until("the film", () => exports.list(CLOCK, "")[0].state !== "making");
    assert.equal(exports.list(CLOCK, "")[0].problem, null);
    const { path } = exports.file(CLOCK, id);
    const samples = await luma(["-i", path, "-r", "1"], "160:90");
    const shown = secondsIn(samples, { width: 160, height: 90 });
    assert.deepEqual([...new Set(shown)], Array.from({ length: 200 }, (_, at) => 50 + at));
    const film = await past.film(asked);
    nodes.away.add("b2");
    const none = await exports.add(CLOCK, { film: () => Promise.resolve(film) }, asked, "");
    await until(
      "its end",
      () => exports.list(CLOCK, "").find((one) => one.id === none.id)!.state === "failed",
    );
    const { problem } = exports.list(CLOCK, "").find((one) => one.id === none.id)!;
    assert.equal(problem, "The node b2, which has this part of the past, does not answer.");
    assert.ok((await Deno.stat(join(dir.path, CLOCK))).isDirectory);
    await exports.stop();
  }));

Deno.test("while a node is away its part is a gap with its name in the list, and all else plays", () =>
  withMoves(async (served, nodes) => {
    nodes.away.add("b2");
    const url = served.list(`start=${BEGIN + 50}&duration=200`);
    const text = await (await fetch(url)).text();
    const gaps = [...text.matchAll(/CLASS="gap",.*DURATION=(\d+),X-REASON="away",X-NODE="b2"/g)];
    assert.deepEqual(gaps.map(([, seconds]) => Number(seconds)), [42, 50]);
    const shown = secondsIn(await luma(["-i", url], "160:90"), { width: 160, height: 90 });
    assert.deepEqual(shown, Array.from({ length: 108 }, (_, at) => 92 + at));
    await assert.rejects(
      served.past.picture(query({ at: BEGIN + 30 }), SIGNAL),
      /^ServiceError: Nothing is kept of .*: the node b2, which had the channel then, is not heard\. .* first one after it\.$/,
    );
  }));
