/**
 * The pod of deploy/kubernetes as Debian's podman runs it: with its rights, its filter of system calls, its secrets as files, and an
 * address of its own. Podman has no scheduler, no Service, no probe and no lifecycle; what it cannot read is told by other words.
 */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { missingPackages } from "../../lib/machine/os/packages.ts";
import { run, type RunResult } from "../../lib/machine/os/process.ts";
import { POD_PACKAGES } from "../../scripts/test_packages.ts";
import { root } from "./fixture.ts";
import { says } from "./says.ts";

// deno-lint-ignore no-explicit-any -- what YAML says
type Yaml = any;

const LIMIT_MS = 120_000;
/** Loading an image of 1.5 GB. */
const LOAD_MS = 10 * 60_000;
const NAME = "browser-stream-0";
const CONTAINER = `${NAME}-node`;
/** A network that is the pod's and this machine's alone, of those that are kept for tests. Source: RFC 5737 */
const [MACHINE, POD, BITS] = ["203.0.113.1", "203.0.113.2", 30];
const LINK = "bs-pod0";
/** Open files and processes that the pod may have. */
const [NOFILE, NPROC] = [16_384, 16_384];

/** Why no pod can be run here; null when it can. */
export async function whyNoPod(): Promise<string | null> {
  if (Deno.uid() !== 0) return "needs root, for podman";
  const missing = new Set(await missingPackages(POD_PACKAGES));
  return missing.size > 0 ? `needs apt-get install ${[...missing].join(" ")}` : null;
}

/** The StatefulSet's pod, as podman reads one. @param folder with a file for each secret. */
function manifestOf(image: string, folder: string, more: Record<string, string>): Yaml {
  const documents = parseAllDocuments(Deno.readTextFileSync(join(root, "deploy/kubernetes/nodes.yaml")));
  const { spec } = documents.map((document) => document.toJS()).find(({ kind }) => kind === "StatefulSet");
  const { metadata, spec: pod } = spec.template;
  const [container] = pod.containers;
  container.image = image;
  // it has no probes by a port's name, and publishes each port on this machine
  for (const part of ["ports", "startupProbe", "readinessProbe", "livenessProbe", "lifecycle"]) {
    delete container[part];
  }
  container.env = container.env.map(({ name, value, ...rest }: Yaml) => {
    const given = more[name] ?? value?.replace("$(NODE_NAME)", NAME);
    return given === undefined ? { name, ...rest } : { name, value: given };
  });
  for (const [name, value] of Object.entries(more)) {
    if (!container.env.some((one: Yaml) => one.name === name)) container.env.push({ name, value });
  }
  // it reads the filter's name here
  const { localhostProfile } = container.securityContext.seccompProfile;
  const annotation = `container.seccomp.security.alpha.kubernetes.io/${container.name}`;
  metadata.annotations = { [annotation]: `localhost/${localhostProfile}` };
  const secrets = pod.volumes.find((volume: Yaml) => volume.secret);
  const rest = pod.volumes.filter((volume: Yaml) => volume !== secrets);
  const claims = spec.volumeClaimTemplates.map((claim: Yaml) => ({
    name: claim.metadata.name,
    emptyDir: {},
  }));
  pod.volumes = [...rest, ...claims, { name: secrets.name, hostPath: { path: folder, type: "Directory" } }];
  return { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name: NAME }, spec: pod };
}

export class Pod implements AsyncDisposable {
  /** Where it answers. */
  readonly url = `http://${POD}:3000`;
  /** This machine, as the pod reaches it. */
  static readonly MACHINE = MACHINE;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param archive an image, as `docker save` writes it. @param secrets contents by their names. @param more variables beside the manifest's. */
  static async start(
    folder: string,
    archive: string,
    secrets: Record<string, string>,
    more: Record<string, string>,
  ): Promise<Pod> {
    const pod = new Pod(folder);
    try {
      await pod.#play(archive, secrets, more);
      return pod;
    } catch (error) {
      await pod[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #play(
    archive: string,
    secrets: Record<string, string>,
    more: Record<string, string>,
  ): Promise<void> {
    const folder = this.#folder;
    await Deno.writeTextFile(
      join(folder, "containers.conf"),
      // its own wish for limits may be above what this machine lets root set
      `[containers]
default_ulimits = ["nofile=${NOFILE}:${NOFILE}", "nproc=${NPROC}:${NPROC}"]
[engine]
lock_type = "file"
tmp_dir = "${folder}/libpod"
`,
    );
    const loaded = await this.podman(["load", "--quiet", "--input", archive], LOAD_MS);
    const image = /Loaded image: (\S+)/.exec(loaded)?.[1];
    assert.ok(image, loaded);
    const [kept, filters] = [join(folder, "secrets"), join(folder, "seccomp")];
    await Deno.mkdir(kept, { mode: 0o700 });
    for (const [name, text] of Object.entries(secrets)) {
      await Deno.writeTextFile(join(kept, name), text, { mode: 0o400 });
    }
    await Deno.mkdir(filters);
    await Deno.copyFile(join(root, "docker/seccomp.json"), join(filters, "browser-stream.json"));
    const manifest = join(folder, "pod.yaml");
    await Deno.writeTextFile(manifest, stringify(manifestOf(image, kept, more)));
    await this.podman([
      ...["kube", "play", "--network=none", `--seccomp-profile-root=${filters}`, manifest],
    ]);
    const pid = await this.podman(["inspect", "--format={{.State.Pid}}", CONTAINER]);
    await says(["/sbin/ip", "link", "add", LINK, "type", "veth", "peer", "name", "eth0", "netns", pid]);
    await says(["/sbin/ip", "addr", "add", `${MACHINE}/${BITS}`, "dev", LINK]);
    await says(["/sbin/ip", "link", "set", LINK, "up"]);
    const inside = ["/usr/bin/nsenter", "--net", `--target=${pid}`, "/sbin/ip"];
    await says([...inside, "addr", "add", `${POD}/${BITS}`, "dev", "eth0"]);
    await says([...inside, "link", "set", "eth0", "up"]);
  }

  /** What a podman command prints. @throws {AssertionError} when it fails. */
  podman(args: string[], timeoutMs = LIMIT_MS): Promise<string> {
    return says([...this.#command(), ...args], this.#env(), timeoutMs);
  }

  /** Runs a command in the node's container, as root. */
  exec(...argv: string[]): Promise<RunResult> {
    return this.#run("exec", CONTAINER, ...argv);
  }

  async logs(): Promise<string> {
    const { stdout, stderr } = await this.#run("logs", CONTAINER);
    return stdout + stderr;
  }

  #run(...args: string[]): Promise<RunResult> {
    return run([...this.#command(), ...args], { timeoutMs: LIMIT_MS, cwd: root, env: this.#env() });
  }

  #command(): string[] {
    const [storage, state] = [join(this.#folder, "storage"), join(this.#folder, "state")];
    return ["/usr/bin/podman", `--root=${storage}`, `--runroot=${state}`, "--cgroup-manager=cgroupfs"];
  }

  #env() {
    return { CONTAINERS_CONF: join(this.#folder, "containers.conf") };
  }

  /** Stops the pod, and removes it with its images; its link goes with its network. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.podman(["pod", "rm", "--force", "--time=10", NAME]).catch(() => {});
    await run(["/sbin/ip", "link", "del", LINK], { timeoutMs: 5000, cwd: root });
    await this.podman(["system", "reset", "--force"]);
  }
}
