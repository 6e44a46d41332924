/**
 * The image for arm64, built and run in an emulator (Debian's qemu-user-static): the better part of an hour on two cores.
 * Its executable is no compiled one (tests/support/image.ts), so the service runs from the build of this checkout.
 */
import { strict as assert } from "node:assert";
import { readCompose, withLine } from "../support/compose_file.ts";
import { Composed } from "../support/composed.ts";
import { Engine, whyNoEngine } from "../support/docker.ts";
import { ARM64_IMAGE, buildArm64Image, whyNoEmulator } from "../support/image.ts";
import { isHealthy, until } from "../support/service.ts";

/** What an ELF file says of its machine. Source: ELF for the Arm 64-bit Architecture, e_machine. */
const EM_AARCH64 = 183;
/** An emulated start takes minutes. */
const START_MS = 10 * 60_000;

const PROGRAMS = [
  "/usr/bin/Xvnc",
  "/usr/bin/ffmpeg",
  "/usr/bin/openbox",
  "/usr/bin/pulseaudio",
  "/usr/lib/chromium/chromium",
  "/usr/local/bin/browser-stream",
  "/usr/sbin/nginx",
];
/** Each says its version, and ends well. */
const VERSIONS: [...string[]][] = [
  ["browser-stream", "--version"],
  ["chromium", "--version"],
  ["ffmpeg", "-version"],
  ["nginx", "-V"],
  ["openbox", "--version"],
  ["pulseaudio", "--version"],
  ["supervisord", "--version"],
  ["tini", "--version"],
  ["websockify", "--help"],
  ["xrandr", "--version"],
];

const problem = await whyNoEngine() ?? await whyNoEmulator();
let engine: Engine;

Deno.test.beforeAll(async () => {
  if (problem) return;
  engine = await Engine.start();
  await buildArm64Image(engine);
});
Deno.test.afterAll(async () => {
  if (!problem) await engine[Symbol.asyncDispose]();
});

function arm64Test(name: string, test: () => Promise<void>): void {
  Deno.test({ name: problem ? `${name} (${problem})` : name, ignore: problem !== null, fn: test });
}

/** What a program of the image prints. */
function printed(...argv: string[]): Promise<string> {
  return engine.docker([
    "run",
    "--rm",
    "--network=none",
    "--entrypoint",
    "/usr/bin/env",
    ARM64_IMAGE,
    ...argv,
  ]);
}

arm64Test("every step of the Dockerfile makes an image for arm64, of programs for arm64", async () => {
  assert.equal(
    await engine.docker(["image", "inspect", "--format", "{{.Architecture}}", ARM64_IMAGE]),
    "arm64",
  );
  const script =
    'for program; do od --address-radix=n --format=u2 --skip-bytes=18 --read-bytes=2 "$program"; done';
  const machines = await printed("sh", "-c", script, "sh", ...PROGRAMS);
  assert.deepEqual(machines.split("\n").map(Number), PROGRAMS.map(() => EM_AARCH64));
});

for (const argv of VERSIONS) {
  arm64Test(`${argv[0]} of arm64 runs`, async () => void await printed(...argv));
}

arm64Test("the service answers on arm64, and takes a stream", async () => {
  await using service = new Composed(engine);
  const run = "browser-stream run -A --no-config --no-lock --quiet /build/browser-stream.js".split(" ");
  const lines = [
    `entrypoint: ${JSON.stringify(["/usr/bin/tini", "--", ...run])}`,
    'command: ["up"]',
  ];
  const text = lines.reduce(withLine, readCompose())
    .replace("image: browser-stream\n", `image: ${ARM64_IMAGE}\n`)
    .replace("- streams:/app/data/streams\n", "$&      - ./_fresh:/build:ro\n");
  await service.up({ text }, false);
  await until("the service to answer", START_MS, () => isHealthy(service.url), 1000);
  assert.match((await service.exec("uname", "-m")).stdout, /^aarch64/);
  await service.servePage();
  await service.clock(START_MS);
});
