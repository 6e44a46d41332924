/**
 * A Docker engine for the tests of the image: the one that DOCKER_HOST names, or one of their own, with all its files in
 * one folder. Images come from Debian alone: the base is made by debootstrap where the engine does not have it.
 */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { errorText } from "../../lib/machine/tools/log.ts";
import { missingPackages } from "../../lib/machine/os/packages.ts";
import { run, type RunResult } from "../../lib/machine/os/process.ts";
import { sleep } from "../../lib/machine/tools/time.ts";
import { IMAGE_PACKAGES } from "../../scripts/test_packages.ts";

export const root = new URL("../..", import.meta.url).pathname;

/** What Dockerfile asks for. */
export const BASE_IMAGE = "debian:12-slim";
const START_MS = 30_000;
const BASE_MS = 5 * 60_000;
/** Of another kind of machine, whose programs run in an emulator. */
const FOREIGN_BASE_MS = 30 * 60_000;
const STEP_MS = 120_000;

/** Why no engine can be had here; null when it can. Stands in the names of tests that are skipped. */
export async function whyNoEngine(): Promise<string | null> {
  if (Deno.uid() !== 0) return "needs root, for an engine";
  const missing = new Set(await missingPackages(IMAGE_PACKAGES));
  if (missing.size > 0) return `needs apt-get install ${[...missing].join(" ")}`;
  if (Deno.env.get("DOCKER_HOST")) return null;
  const mounts = await run(["/usr/bin/unshare", "--mount", "/bin/true"], { timeoutMs: 5000 });
  if (mounts.code !== 0) return "needs CAP_SYS_ADMIN, for an engine";
  try {
    await using _engine = await Engine.start();
    return null;
  } catch (error) {
    return `needs an engine that starts; ${errorText(error).trim().split("\n").at(-1)}`;
  }
}

export class Engine implements AsyncDisposable {
  readonly host: string;
  #folder: string;
  #daemon: Deno.ChildProcess | null;

  private constructor(host: string, folder: string, daemon: Deno.ChildProcess | null) {
    this.host = host;
    this.#folder = folder;
    this.#daemon = daemon;
  }

  static async start(): Promise<Engine> {
    const folder = await Deno.makeTempDir({ prefix: "bs-docker-" });
    const given = Deno.env.get("DOCKER_HOST");
    if (given) return new Engine(given, folder, null);
    const host = `unix://${folder}/docker.sock`;
    const roots = [`--data-root=${folder}/data`, `--exec-root=${folder}/exec`, `--pidfile=${folder}/pid`];
    // the machine's packet filter and its own engine's bridge stay as they are; ports are published by a proxy
    const network = ["--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false"];
    const log = await Deno.open(join(folder, "log"), { write: true, create: true });
    const daemon = new Deno.Command("/bin/sh", {
      args: [
        "-c",
        'exec "$@" >"$0" 2>&1',
        join(folder, "log"),
        // what it mounts, and leaves mounted, goes with it
        ...["/usr/bin/unshare", "--mount", "--"],
        "/usr/sbin/dockerd",
        "-H",
        host,
        ...roots,
        ...network,
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    log.close();
    const engine = new Engine(host, folder, daemon);
    for (const limit = Date.now() + START_MS; (await engine.run(["info"])).code !== 0; await sleep(200)) {
      if (Date.now() < limit) continue;
      const said = await Deno.readTextFile(join(folder, "log"));
      await engine[Symbol.asyncDispose]();
      throw new Error(`dockerd does not answer: ${said.slice(-2000)}`);
    }
    return engine;
  }

  /** What a docker command says, whether it worked or not. */
  run(args: string[], timeoutMs = STEP_MS): Promise<RunResult> {
    return run(["/usr/bin/docker", "-H", this.host, ...args], { timeoutMs, cwd: root });
  }

  /** What a docker command prints. @throws {AssertionError} when it fails. */
  async docker(args: string[], timeoutMs = STEP_MS): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, timeoutMs);
    assert.equal(code, 0, `docker ${args.join(" ")}: ${stdout.slice(-2000)}${stderr.slice(-2000)}`);
    return stdout.trim();
  }

  /** docker-compose in the repository's folder. @throws {AssertionError} when it fails. */
  async compose(args: string[], env: Record<string, string>): Promise<string> {
    const { code, stdout, stderr } = await run(["/usr/bin/docker-compose", ...args], {
      timeoutMs: STEP_MS,
      cwd: root,
      env: { ...env, DOCKER_HOST: this.host },
    });
    assert.equal(code, 0, `docker-compose ${args.join(" ")}: ${stderr.slice(-2000)}`);
    return stdout.trim();
  }

  /**
   * Makes an image of Debian's smallest system, where the engine does not have it and cannot reach a registry either.
   * @param arch the kind of machine, as Debian calls it; else this one's.
   */
  async ensureBase(name = BASE_IMAGE, arch?: string): Promise<void> {
    if ((await this.run(["image", "inspect", name])).code === 0) return;
    const system = join(this.#folder, "bookworm");
    const ofArch = arch ? [`--arch=${arch}`] : [];
    const make = ["/usr/sbin/debootstrap", "--variant=minbase", ...ofArch, "bookworm", system];
    const made = await run(make, { timeoutMs: arch ? FOREIGN_BASE_MS : BASE_MS });
    assert.equal(made.code, 0, made.stdout.slice(-2000) + made.stderr);
    await makeSlim(system);
    const suites = ["debian bookworm", "debian bookworm-updates", "debian-security bookworm-security"];
    await Deno.writeTextFile(
      join(system, "etc/apt/sources.list"),
      suites.map((suite) => `deb http://deb.debian.org/${suite} main\n`).join(""),
    );
    const script = 'tar -C "$0" --numeric-owner -c . | docker -H "$1" import - "$2"';
    const packed = ["-c", script, system, this.host, name];
    const imported = await run(["/bin/sh", ...packed], { timeoutMs: BASE_MS });
    assert.equal(imported.code, 0, imported.stderr);
    await Deno.remove(system, { recursive: true });
  }

  /** Ends the engine, if it is the tests' own, and removes its files. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#daemon) {
      this.#daemon.kill("SIGTERM"); // it ends its containers and containerd
      await this.#daemon.status;
    }
    await Deno.remove(this.#folder, { recursive: true });
  }
}

/** Makes of a Debian what Debian's slim images are: some files are left out, later too, and dpkg waits for no disk. */
async function makeSlim(system: string): Promise<void> {
  const folders = ["doc", "groff", "info", "lintian", "locale", "man"].map((name) => `/usr/share/${name}`);
  const rules = folders.map((folder) => `path-exclude ${folder}/*\n`).join("");
  await Deno.writeTextFile(
    join(system, "etc/dpkg/dpkg.cfg.d/docker"),
    `force-unsafe-io\n${rules}path-include /usr/share/doc/*/copyright\n`,
  );
  for (const folder of [...folders, "/var/cache/apt/archives", "/var/lib/apt/lists"]) {
    await Deno.remove(join(system, folder), { recursive: true }).catch(() => {});
  }
  for (const folder of ["/var/cache/apt/archives/partial", "/var/lib/apt/lists/partial"]) {
    await Deno.mkdir(join(system, folder), { recursive: true });
  }
}
