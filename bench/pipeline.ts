/**
 * The capture pipeline: time to the first segment, CPU and memory of each program, and the encoder against another
 * project's command line (docs/pipeline.md) on the same display in the same run.
 *
 *     deno task build && deno run -A bench/pipeline.ts
 */
import { fetchPlaylist } from "../tests/support/media.ts";
import { playlistUrl } from "../tests/support/channel.ts";
import { startService, type TestService, until } from "../tests/support/service.ts";
import { cpu, median, memory } from "./processes.ts";

const ROUNDS = 5;
const WINDOW_MS = 8000;
const WINDOWS = 3;
const KINDS = ["display", "wm", "browser", "encoder"];

const FORMATS = [
  { resolution: "1280x720", scale: "1280x720", fps: 25 },
  { resolution: "1920x1080", scale: "1920x1080", fps: 30, bitrate: "4000k", bufsize: "4000k" },
];

const number = (value: number) => value.toFixed(1).padStart(6);

async function firstSegment(service: TestService): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    const created = service.create({ name: "First" });
    const url = playlistUrl(service, "first");
    await until("a segment", 20_000, async () => (await fetchPlaylist(url))?.segments.length);
    times.push((performance.now() - from) / 1000);
    await created;
    await (await service.api("DELETE", "/api/streams/first")).body?.cancel();
  }
  console.log(
    `create -> first playable segment: median ${median(times).toFixed(2)} s of ${ROUNDS} (` +
      times.map((time) => time.toFixed(2)).join(", ") + ")",
  );
  return median(times);
}

/** The peer's encoder on our display, publishing beside ours. */
function startPeer(display: string, size: string, rtmpPort: string): Deno.ChildProcess {
  const video = [
    "-f",
    "x11grab",
    "-draw_mouse",
    "0",
    "-framerate",
    "30",
    "-video_size",
    size,
    "-i",
    `${display}.0`,
  ];
  const silence = ["-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo"];
  const x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "stillimage", "-pix_fmt", "yuv420p"];
  const rate = ["-b:v", "1500k", "-maxrate", "1500k", "-bufsize", "3000k", "-g", "60"];
  const sound = ["-c:a", "aac", "-b:a", "128k"];
  const output = ["-vf", "scale=1280:720", "-f", "flv", `rtmp://127.0.0.1:${rtmpPort}/live/peer`];
  return new Deno.Command("/usr/bin/ffmpeg", {
    args: ["-v", "error", "-nostdin", ...video, ...silence, ...x264, ...rate, ...sound, ...output],
    stdin: "null",
    stderr: "null",
  }).spawn();
}

async function measure(service: TestService, page: string, format: typeof FORMATS[number]): Promise<void> {
  const { id } = await service.create({ name: "Load", url: `${service.pageUrl}${page}.html`, ...format });
  await until("the stream to run", 20_000, async () => (await service.status(id)).state === "running");
  await new Promise((done) => setTimeout(done, 8000));
  const pids: Record<string, number> = {};
  for (const kind of KINDS) pids[kind] = await service.programPid(`${kind}-${id}`);
  const windows: Record<string, number>[] = [];
  for (let at = 0; at < WINDOWS; at++) windows.push(await cpu(pids, WINDOW_MS));
  const of = (kind: string) => median(windows.map((window) => window[kind]));
  const total = KINDS.reduce((sum, kind) => sum + of(kind), 0);
  const what = `${page} ${format.scale}@${format.fps}`.padEnd(24);
  console.log(`${what} CPU % ${KINDS.map((kind) => number(of(kind))).join(" ")} = ${number(total)}`);
  console.log(`${"".padEnd(24)} PSS MB ${KINDS.map((kind) => number(memory(pids[kind], "Pss"))).join(" ")}`);
  console.log(`${"".padEnd(24)} RSS MB ${KINDS.map((kind) => number(memory(pids[kind], "Rss"))).join(" ")}`);
  await (await service.api("DELETE", `/api/streams/${id}`)).body?.cancel();
}

/** Ours as set for the same job (1080p page, 720p out, 30 fps) against the peer's, both on one display at once. */
async function compare(service: TestService, page: string): Promise<void> {
  const format = {
    resolution: "1920x1080",
    scale: "1280x720",
    fps: 30,
    preset: "ultrafast",
    bufsize: "3000k",
  };
  const { id } = await service.create({ name: "Versus", url: `${service.pageUrl}${page}.html`, ...format });
  await until("the stream to run", 20_000, async () => (await service.status(id)).state === "running");
  const display =
    (await Deno.readTextFile(`/proc/${await service.programPid(`display-${id}`)}/cmdline`)).split("\0")[1];
  const peer = startPeer(display, format.resolution, service.env.RTMP_PORT);
  await new Promise((done) => setTimeout(done, 8000));
  const pids = { ours: await service.programPid(`encoder-${id}`), peer: peer.pid };
  const windows: Record<string, number>[] = [];
  for (let at = 0; at < WINDOWS; at++) windows.push(await cpu(pids, WINDOW_MS));
  const [ours, theirs] = (["ours", "peer"] as const).map((name) =>
    median(windows.map((window) => window[name]))
  );
  console.log(
    `encoder, ${page} page, 1080p page to 720p30: ours ${number(ours)} %, peer ${number(theirs)} %, ` +
      `ratio ${(ours / theirs).toFixed(2)}`,
  );
  peer.kill("SIGTERM");
  await peer.status;
  await (await service.api("DELETE", `/api/streams/${id}`)).body?.cancel();
}

const service = await startService();
try {
  await firstSegment(service);
  console.log(`${"".padEnd(24)}       ${KINDS.map((kind) => kind.slice(0, 7).padStart(6)).join(" ")}`);
  for (const format of FORMATS) {
    for (const page of ["static", "moving"]) await measure(service, page, format);
  }
  for (const page of ["static", "moving"]) await compare(service, page);
} finally {
  await service.stop();
}
