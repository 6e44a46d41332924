/**
 * The image for arm64, built in an emulator (Debian's qemu-user-static), and its programs: half an hour on two cores
 * that do nothing else. The whole service is too slow there: its own limits end it.
 */
import { strict as assert } from "node:assert";
import { Engine, whyNoEngine } from "../support/docker.ts";
import { ARM64_IMAGE, buildArm64Image, whyNoEmulator } from "../support/image.ts";

/** What an ELF file says of its machine. Source: ELF for the Arm 64-bit Architecture, e_machine. */
const EM_AARCH64 = 183;
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
const VERSIONS: string[][] = [
  ["browser-stream", "--version"],
  ["chromium", "--version"],
  ["ffmpeg", "-version"],
  ["nginx", "-V"],
  ["openbox", "--version"],
  ["pulseaudio", "--version"],
  ["supervisord", "--version"],
  ["tini", "--version"],
  ["websockify", "--help"],
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
  const script =
    'for program; do od --address-radix=n --format=u2 --skip-bytes=18 --read-bytes=2 "$program"; done';
  const machines = await printed("sh", "-c", script, "sh", ...PROGRAMS);
  assert.deepEqual(machines.split("\n").map(Number), PROGRAMS.map(() => EM_AARCH64));
});

for (const argv of VERSIONS) {
  arm64Test(`${argv[0]} of arm64 runs`, async () => void await printed(...argv));
}
