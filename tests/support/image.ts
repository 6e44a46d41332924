/** Builds the image, with what a build on this machine needs in the build stage's base image alone. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { readOrNull } from "../../lib/machine/os/files.ts";
import { findCompiler } from "./denort.ts";
import { BASE_IMAGE, type Engine, root } from "./docker.ts";

export const IMAGE = "browser-stream";
/** The commit that the image is told to be of. */
export const REVISION = "0123456789abcdef0123456789abcdef01234567";
const BUILD_IMAGE = "browser-stream-build-base";
const BUILD_MS = 20 * 60_000;

export const ARM64_IMAGE = "browser-stream:arm64";
const ARM64_BASE = "debian:12-slim-arm64";
const ARM64_BUILD_IMAGE = "browser-stream-build-base:arm64";
/** One that npm has for arm64 here, where it does not have each. */
const ARM64_DENO_VERSION = "2.9.5";
/** Where npm puts it in the build stage. */
const ARM64_DENO = "/usr/local/lib/node_modules/deno/node_modules/@deno/linux-arm64-glibc/deno";
const EMULATED_BUILD_MS = 90 * 60_000;

/** What this machine trusts: the registries may be reached through something with a certificate of its own. */
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** Builds the image from this checkout; the packages come by the machine's own network. */
export async function buildImage(engine: Engine): Promise<void> {
  await engine.ensureBase();
  const { env: { DENORT_BIN }, version } = await findCompiler();
  await makeBuildBase(engine, BUILD_IMAGE, BASE_IMAGE, DENORT_BIN);
  const runtime = DENORT_BIN ? [`DENORT_BIN=/opt/denort`, `DENORT_VERSION=${version}`] : [];
  await build(engine, IMAGE, [`BUILD_IMAGE=${BUILD_IMAGE}`, ...runtime], BUILD_MS);
}

/** Why no image for arm64 can be run here; null when it can. */
export async function whyNoEmulator(): Promise<string | null> {
  if (Deno.build.arch === "aarch64") return null;
  const rule = await readOrNull("/proc/sys/fs/binfmt_misc/qemu-aarch64");
  return rule?.startsWith("enabled") ? null : "needs apt-get install qemu-user-static, and binfmt_misc";
}

/**
 * Builds the image for arm64, each step of it in an emulator. Its runtime can be downloaded in few places and is in no
 * package of npm, so the executable has npm's whole Deno for arm64 under it, which runs what it is told to.
 */
export async function buildArm64Image(engine: Engine): Promise<void> {
  await engine.ensureBase(ARM64_BASE, "arm64");
  await makeBuildBase(engine, ARM64_BUILD_IMAGE, ARM64_BASE);
  const images = [`BUILD_IMAGE=${ARM64_BUILD_IMAGE}`, `BASE_IMAGE=${ARM64_BASE}`];
  const deno = [`DENO_VERSION=${ARM64_DENO_VERSION}`, `DENORT_BIN=${ARM64_DENO}`];
  await build(engine, ARM64_IMAGE, [...images, ...deno], EMULATED_BUILD_MS);
}

async function build(engine: Engine, tag: string, buildArgs: string[], limitMs: number): Promise<void> {
  const args = [...buildArgs, `REVISION=${REVISION}`].flatMap((arg) => ["--build-arg", arg]);
  const { code, stdout, stderr } = await engine.run(
    ["build", "--network", "host", ...args, "--tag", tag, root],
    limitMs,
  );
  assert.equal(code, 0, stdout.slice(-3000) + stderr.slice(-3000));
}

/** Makes the image of the build stage. */
async function makeBuildBase(engine: Engine, name: string, base: string, denort?: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "bs-build-" });
  try {
    await Deno.copyFile(CERTIFICATES, join(folder, "machine.crt"));
    if (denort) await Deno.copyFile(denort, join(folder, "denort"));
    await Deno.writeTextFile(
      join(folder, "Dockerfile"),
      `FROM ${base}\nCOPY . /opt/\nENV NODE_EXTRA_CA_CERTS=/opt/machine.crt DENO_CERT=/opt/machine.crt\n`,
    );
    await engine.docker(["build", "--tag", name, folder]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
