/** Builds the image, with what a build on this machine needs in the build stage's base image alone. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { findCompiler } from "./denort.ts";
import { type Engine, root } from "./docker.ts";

export const IMAGE = "browser-stream";
const BUILD_IMAGE = "browser-stream-build-base";
const BUILD_MS = 20 * 60_000;
/** What this machine trusts: the registries may be reached through something with a certificate of its own. */
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** Builds the image from this checkout; the packages come by the machine's own network. */
export async function buildImage(engine: Engine): Promise<void> {
  await engine.ensureBase();
  const { env: { DENORT_BIN }, version } = await findCompiler();
  await makeBuildBase(engine, DENORT_BIN);
  const runtime = DENORT_BIN ? [`DENORT_BIN=/opt/denort`, `DENORT_VERSION=${version}`] : [];
  const args = [`BUILD_IMAGE=${BUILD_IMAGE}`, ...runtime, "VERSION=test"].flatMap((
    arg,
  ) => ["--build-arg", arg]);
  const { code, stdout, stderr } = await engine.run(
    ["build", "--network", "host", ...args, "--tag", IMAGE, root],
    BUILD_MS,
  );
  assert.equal(code, 0, stdout.slice(-3000) + stderr.slice(-3000));
}

async function makeBuildBase(engine: Engine, denort?: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "bs-build-" });
  try {
    await Deno.copyFile(CERTIFICATES, join(folder, "machine.crt"));
    if (denort) await Deno.copyFile(denort, join(folder, "denort"));
    await Deno.writeTextFile(
      join(folder, "Dockerfile"),
      "FROM debian:12-slim\nCOPY . /opt/\nENV NODE_EXTRA_CA_CERTS=/opt/machine.crt DENO_CERT=/opt/machine.crt\n",
    );
    await engine.docker(["build", "--tag", BUILD_IMAGE, folder]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
