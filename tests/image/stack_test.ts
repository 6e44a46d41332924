/**
 * deploy/swarm/stack.yml in a swarm of three real engines in network namespaces, with Debian's NATS. In the nodes' place is a
 * program that waits: what is tried is the stack, and not the service's image.
 */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { missingPackages } from "../../lib/machine/os/packages.ts";
import { run } from "../../lib/machine/os/process.ts";
import { IMAGE_PACKAGES, TEST_PACKAGES } from "../../scripts/test_packages.ts";
import { root, tempDir } from "../support/fixture.ts";
import { same, until } from "../support/same.ts";
import { says } from "../support/says.ts";

const NAMES = ["a", "b", "c"];
const LIMIT_MS = 60_000;

/** Why no engines can be had here; null when they can. */
async function whyNoSwarm(): Promise<string | null> {
  if (Deno.uid() !== 0) return "needs root, for engines";
  const needed = [...IMAGE_PACKAGES, ...TEST_PACKAGES].filter(([name]) =>
    /^(docker\.io|nats-server)$/.test(name)
  );
  const missing = new Set(await missingPackages(needed));
  if (missing.size > 0) return `needs apt-get install ${[...missing].join(" ")}`;
  const spaces = await run(["/usr/bin/unshare", "--mount", "--net", "/bin/true"], { timeoutMs: 5000 });
  return spaces.code === 0 ? null : "needs CAP_SYS_ADMIN, for engines";
}

const problem = await whyNoSwarm();

/** Files of Debian's NATS and of a shell, with their libraries, as a container's. */
async function makeFiles(folder: string): Promise<string> {
  await says(["/bin/mkdir", "-p", `${folder}/bin`, `${folder}/tmp`, `${folder}/data`]);
  for (const path of ["/usr/sbin/nats-server", "/bin/sh", "/bin/sleep", "/usr/bin/env", "/bin/cat"]) {
    await says(["/bin/cp", "-L", path, `${folder}/bin/`]);
    const { stdout } = await run(["/usr/bin/ldd", path], { timeoutMs: LIMIT_MS, cwd: "/" });
    for (const [library] of stdout.matchAll(/\/[^ )]+\.so[^ )]*/g)) {
      await says(["/bin/cp", "-L", "--parents", library, folder]);
    }
  }
  const tar = `${folder}.tar`;
  await says(["/bin/tar", "-C", folder, "-cf", tar, "."]);
  return tar;
}

Deno.test({
  name: `swarm: the stack runs NATS on three machines, and a node on each${problem ? ` (${problem})` : ""}`,
  ignore: problem !== null,
  fn: async () => {
    await using dir = await tempDir();
    const folder = dir.path;
    const engines = new Deno.Command("/bin/bash", {
      args: [join(root, "tests/support/swarm.sh"), folder],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    await using _ = {
      [Symbol.asyncDispose]: async () => {
        await engines.stdin.close();
        await engines.stdout.cancel();
        await engines.status;
      },
    };
    const reader = engines.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    assert.match(new TextDecoder().decode(value), /ready/);
    const docker = (name: string, ...args: string[]) =>
      says(["/usr/bin/docker", "-H", `unix://${folder}/${name}.sock`, ...args], {
        NATS_IMAGE: "nats:try",
        IMAGE: "node:try",
      });
    const at = (number: number) => [
      ...[`--advertise-addr=10.9.0.${number}`, `--listen-addr=10.9.0.${number}:2377`],
    ];
    await docker("a", "swarm", "init", ...at(1));
    const token = await docker("a", "swarm", "join-token", "--quiet", "manager");
    const tar = await makeFiles(join(folder, "image"));
    for (const [index, name] of NAMES.entries()) {
      if (name !== "a") {
        await docker(name, "swarm", "join", "--token", token, ...at(index + 1), "10.9.0.1:2377");
      }
      const path = ["--change", "ENV PATH=/bin"];
      await docker(name, "import", ...path, "--change", 'ENTRYPOINT ["/bin/nats-server"]', tar, "nats:try");
      await docker(name, "import", ...path, "--change", 'ENTRYPOINT ["/bin/sleep","1800"]', tar, "node:try");
      await docker("a", "node", "update", "--label-add", `nats=${name}`, `wall-${name}`);
    }
    const stack = join(folder, "stack");
    await says(["/bin/cp", "-r", join(root, "deploy/swarm"), stack]);
    await Deno.mkdir(join(stack, "secrets"), { mode: 0o700 });
    await says([join(stack, "secrets.sh"), "anna"]);
    await docker("a", "stack", "deploy", "--resolve-image=never", `--compose-file=${stack}/stack.yml`, "bs");
    const ofService = (name: string, service: string) =>
      docker(name, "ps", "--quiet", `--filter=name=bs_${service}`);
    await same(
      async () => (await docker("a", "service", "ls", "--format={{.Name}} {{.Replicas}}")).split("\n").sort(),
      ["bs_nats-a 1/1", "bs_nats-b 1/1", "bs_nats-c 1/1", "bs_node 3/3"],
    );
    await until("one of the servers to lead", async () => {
      const logs = await Promise.all(NAMES.map(async (name) => {
        const container = await ofService(name, "nats");
        const { stdout, stderr } = await run(
          ["/usr/bin/docker", "-H", `unix://${folder}/${name}.sock`, "logs", container],
          { timeoutMs: LIMIT_MS, cwd: "/" },
        );
        return stdout + stderr;
      }));
      return logs.every((text) => /JetStream cluster (new )?metadata leader/.test(text));
    });
    for (const name of NAMES) {
      const container = await ofService(name, "node");
      const environment = await docker(name, "exec", container, "env");
      assert.match(environment, new RegExp(`^NODE_NAME=wall-${name}$`, "m"));
      assert.match(environment, new RegExp(`^NODE_URL=http://wall-${name}:3000$`, "m"));
      assert.match(
        await docker(name, "exec", container, "cat", "/run/secrets/nats-login"),
        /^node:[0-9a-f]{48}$/,
      );
      const ports = await docker("a", "service", "ps", "bs_node", "--format={{.Node}} {{.Ports}}");
      assert.match(ports, new RegExp(`^wall-${name} \\*:3000->3000/tcp`, "m"));
    }
  },
});
