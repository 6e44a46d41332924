/**
 * The image for arm64, built in an emulator (Debian's qemu-user-static), its programs, and the service without a stream:
 * half an hour on two cores that do nothing else. A browser is too slow there: the service's own limits end it.
 */
import { strict as assert } from "node:assert";
import { Engine, root, whyNoEngine } from "../support/docker.ts";
import { ARM64_IMAGE, buildArm64Image, whyNoEmulator } from "../support/image.ts";
import { within } from "../support/within.ts";

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

/** How long the service may take to answer in an emulator, which is some thirty times slower. */
const ANSWER_MS = 180_000;
const STOP_S = 60;
/**
 * The executable of this image has npm's whole Deno under it, which runs what it is told to: the program that
 * `deno compile` would put into it.
 */
const UP = ["run", "-A", "--no-config", "--no-lock", "--quiet", "/program/browser-stream.js", "up"];

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

arm64Test("the service of arm64 starts, answers, keeps a stream, and ends in order", async () => {
  const limits = ["--network=none", "--cap-add=SYS_PTRACE", "--shm-size=1g", `--stop-timeout=${STOP_S}`];
  const options = ["--volume", `${root}_fresh:/program:ro`, "--env", "CHROMIUM_SANDBOX=off"];
  const container = await engine.docker(["run", "--detach", ...limits, ...options, ARM64_IMAGE, ...UP]);
  try {
    const curl = (path: string, ...options: string[]) =>
      engine.run([
        "exec",
        container,
        "curl",
        "-sS",
        "--fail-with-body",
        ...options,
        `http://127.0.0.1:3000${path}`,
      ]);
    await within("the service to answer", ANSWER_MS, async () => (await curl("/healthz")).code === 0, 1000);
    assert.match((await curl("/")).stdout, /<title>/);
    const stream = JSON.stringify({ name: "A page", url: "https://example.org/", desiredState: "stopped" });
    const added = await curl("/api/streams", "--json", stream);
    assert.equal(added.code, 0, added.stdout + added.stderr);
    assert.match((await curl("/api/streams")).stdout, /"A page"/);
    await engine.docker(["stop", container]);
    assert.equal(await engine.docker(["inspect", "--format", "{{.State.ExitCode}}", container]), "0");
  } catch (error) {
    const { stdout, stderr } = await engine.run(["logs", container]);
    console.log(stdout + stderr);
    throw error;
  } finally {
    await engine.docker(["rm", "--force", "--volumes", container]);
  }
});
