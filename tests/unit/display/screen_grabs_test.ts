import assert from "node:assert/strict";
import {
  grabCommand,
  grabMotion,
  grabScreen,
  isWholeJpeg,
  isWholePng,
  type Screen,
  thumbnailSize,
} from "../../../lib/display/screen_grabs.ts";
import {
  type BytesRunner,
  type OutputReader,
  ProcessError,
  type RunOptions,
} from "../../../lib/machine/os/process.ts";

function screen(resolution = "1280x720"): Screen {
  return { display: 107, resolution };
}

const JPEG = Uint8Array.from([0xff, 0xd8, 1, 2, 3, 0xff, 0xd9]);

Deno.test("a thumbnail is at most 640 wide, keeps its shape, and has even sizes", () => {
  const sizes = {
    "1920x1080": [640, 360],
    "1280x720": [640, 360],
    "640x360": [640, 360],
    "320x180": [320, 180],
    "160x90": [160, 90],
    "1024x768": [640, 480],
    "1366x768": [640, 360],
    "1080x1920": [640, 1138],
    "3840x320": [640, 54],
    "99998x82": [640, 2],
  };
  for (const [resolution, [width, height]] of Object.entries(sizes)) {
    assert.deepEqual(thumbnailSize(resolution), { width, height }, resolution);
  }
});

Deno.test("the command grabs one frame of the whole display, not of the spec's size, without the mouse", () => {
  const argv = grabCommand(screen("1920x1080"), "thumbnail");
  const after = (flag: string) => argv[argv.indexOf(flag) + 1];
  assert.equal(argv[0], "/usr/bin/ffmpeg");
  assert.deepEqual([after("-f"), after("-i"), after("-video_size")], ["x11grab", ":107.0", "1920x1080"]);
  assert.deepEqual([after("-draw_mouse"), after("-frames:v")], ["0", "1"]);
  assert.match(after("-vf"), /^scale=640:360:.*out_color_matrix=bt601:out_range=pc,format=yuvj420p$/);
  assert.deepEqual([after("-c:v"), after("-q:v"), argv.at(-1)], ["mjpeg", "4", "pipe:1"]);
});

Deno.test("only a thumbnail that begins and ends as a JPEG is whole", () => {
  assert.ok(isWholeJpeg(JPEG));
  const broken = [[], [0xff, 0xd8], [0xff, 0xd8, 0xff, 0xd9].slice(0, 3), [...JPEG.slice(0, -1)], [
    ...JPEG,
    0,
  ]];
  for (const bytes of [...broken, [0, ...JPEG], [0xff, 0xd8, 0xff, 0xd9]]) {
    assert.equal(isWholeJpeg(Uint8Array.from(bytes)), false, String(bytes));
  }
});

function grabber(result: Partial<Awaited<ReturnType<BytesRunner>>> = {}) {
  const calls: { argv: string[]; options: RunOptions }[] = [];
  const user = { name: "pipeline", uid: 4711, gid: 4712 };
  const run: BytesRunner = (argv, options) => {
    calls.push({ argv, options });
    return Promise.resolve({ code: 0, stdout: JPEG, stderr: "", ...result });
  };
  return { calls, user, parts: { run, user, runDir: "/run/bs", xauthority: "/run/bs/xauthority" } };
}

Deno.test("it runs as the stream's user, limited, with nothing of our environment", async () => {
  const { calls, parts } = grabber();
  const { signal } = new AbortController();
  assert.deepEqual(await grabScreen(parts, screen(), "thumbnail", signal), JPEG);
  const [{ argv, options }] = calls;
  assert.deepEqual([calls.length, options.clearEnv, options.timeoutMs], [1, true, 10_000]);
  const become = Deno.uid() === 0 ? ["--reuid=4711", "--regid=4712", "--clear-groups"] : [];
  const before = ["/usr/bin/setpriv", ...become, "--no-new-privs", "--"];
  assert.deepEqual(argv, [...before, ...grabCommand(screen(), "thumbnail")]);
  assert.deepEqual(options.env, { BROWSER_STREAM_RUN: "/run/bs", XAUTHORITY: "/run/bs/xauthority" });
  assert.equal(options.signal, signal);
  assert.ok(options.maxOutput! <= 10e6);
});

Deno.test("a failure says why", async () => {
  const stderr = "[x11grab @ 0x1] Cannot open display :107.0, error 1.\n:107.0: Input/output error\n";
  const cases: [Partial<Awaited<ReturnType<BytesRunner>>>, RegExp][] = [
    [{ code: 1, stdout: new Uint8Array(), stderr }, /display :107: :107.0: Input\/output error$/],
    [{ code: 1 }, /ended with 1/],
  ];
  for (const [result, says] of cases) {
    await assert.rejects(
      grabScreen(grabber(result).parts, screen(), "thumbnail", new AbortController().signal),
      (error) => error instanceof ProcessError && says.test(error.message),
    );
  }
});

Deno.test("still pictures have the display's size, and PNG is without loss", () => {
  const jpeg = grabCommand(screen("1920x1080"), "jpeg");
  const after = (argv: string[], flag: string) => argv[argv.indexOf(flag) + 1];
  assert.match(after(jpeg, "-vf"), /^scale=out_color_matrix=bt601:out_range=pc,format=yuvj420p$/);
  assert.deepEqual([after(jpeg, "-frames:v"), after(jpeg, "-q:v")], ["1", "3"]);
  const png = grabCommand(screen("1920x1080"), "png");
  assert.deepEqual([after(png, "-c:v"), after(png, "-vf"), after(png, "-frames:v")], [
    "png",
    "format=rgb24",
    "1",
  ]);
});

Deno.test("only a PNG that begins and ends as one is whole", () => {
  const whole = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 7, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82];
  assert.ok(isWholePng(Uint8Array.from(whole)));
  for (
    const broken of [[], whole.slice(0, -1), whole.slice(1), [...whole, 0], [...JPEG], whole.toSpliced(8, 1)]
  ) {
    assert.equal(isWholePng(Uint8Array.from(broken)), false, String(broken));
  }
});

Deno.test("a watched display is grabbed at its rate, as the stream's user, until the signal aborts", async () => {
  const { signal } = new AbortController();
  const calls: { argv: string[]; options: Parameters<OutputReader>[1] }[] = [];
  const read: OutputReader = async function* (argv, options) {
    calls.push({ argv, options });
    yield JPEG;
  };
  const { user } = grabber();
  const owner = { user, runDir: "/run/bs", xauthority: "/run/bs/xauthority" };
  const seen = await Array.fromAsync(grabMotion(read, owner, { ...screen(), fps: 5 }, signal));
  const [{ argv, options }] = calls;
  assert.deepEqual(seen, [JPEG]);
  assert.deepEqual([options.clearEnv, options.signal], [true, signal]);
  assert.equal(argv[argv.indexOf("-framerate") + 1], "5");
  assert.ok(!argv.includes("-frames:v") && argv.includes("--no-new-privs"), argv.join(" "));
});
