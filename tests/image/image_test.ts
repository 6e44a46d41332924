/** The image, built and run as the README says, by a real engine. Minutes: a task of its own, `deno task image`, and CI's last. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { untilPageShown } from "../support/channel.ts";
import { addedCapabilities, inForce, readCompose, withLine, without } from "../support/compose_file.ts";
import { Composed, type ContainerProcess } from "../support/composed.ts";
import { BASE_IMAGE, Engine, whyNoEngine } from "../support/docker.ts";
import { VERSION } from "../../lib/machine/tools/version.ts";
import { buildImage, IMAGE, REVISION } from "../support/image.ts";
import { same } from "../support/same.ts";
import { commandLine } from "../support/proc.ts";
import { tempDir } from "../support/fixture.ts";
import { Pod, whyNoPod } from "../support/pod.ts";
import { readFixture } from "../support/page.ts";
import { probe } from "../support/media.ts";
import { within } from "../support/within.ts";
import { askApi, isHealthy, logIn } from "../support/service.ts";
import { enter, tokenOf } from "../support/takeover.ts";

const PAGE_COLOUR = 0xd02060;
/** Bits of capabilities. Source: linux/capability.h */
const BITS: Record<string, number> = {
  CHOWN: 0,
  DAC_OVERRIDE: 1,
  FOWNER: 3,
  FSETID: 4,
  KILL: 5,
  NET_ADMIN: 12,
  SETGID: 6,
  SETUID: 7,
  SYS_PTRACE: 19,
};
/** The rights that the compose file lists, which the pod has as well. */
const LISTED = addedCapabilities(readCompose()).reduce((mask, name) => mask | 1n << BigInt(BITS[name]), 0n);
/** What the image may have at most, in MB; it has 1520. */
const MOST_MB = 1600;
/** How long a start or a recovery may take; both take 3 to 6 s on a machine that does nothing else. */
const TRIAL_MS = 30_000;
const READ_ONLY = (text: string) => inForce(inForce(text, "read_only: true"), "tmpfs:");

const problem = await whyNoEngine();
let engine: Engine | undefined;
let service: Composed;

Deno.test.beforeAll(async () => {
  if (problem) return;
  engine = await Engine.start();
  await buildImage(engine);
  service = new Composed(engine);
  await service.up();
  await service.servePage();
});

Deno.test.afterAll(async () => {
  if (!engine) return;
  await service?.[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
});

function imageTest(name: string, test: () => Promise<void>): void {
  Deno.test({ name: problem ? `${name} (${problem})` : name, ignore: problem !== null, fn: test });
}

imageTest(
  "the image has Debian's packages and the executable, and nothing of the machine that built it",
  async () => {
    const [{ Config, Size }] = JSON.parse(await engine!.docker(["image", "inspect", IMAGE]));
    assert.deepEqual(Config.Entrypoint, ["/usr/bin/tini", "--", "browser-stream"]);
    assert.deepEqual(Object.keys(Config.Volumes), ["/app/data/streams"]);
    assert.match(Config.Healthcheck.Test.join(" "), /\/healthz$/);
    assert.equal(Config.Labels["org.opencontainers.image.version"], VERSION);
    assert.equal(Config.Labels["org.opencontainers.image.revision"], REVISION);
    assert.match(Config.Labels["org.opencontainers.image.title"], /./);
    assert.match(await engine!.docker(["run", "--rm", IMAGE, "--version"]), new RegExp(REVISION.slice(0, 7)));
    assert.ok(Size < MOST_MB * 1e6, `${Size / 1e6} MB`);
    const places = "/opt /root /src /usr/local /var/cache /var/lib/apt/lists /var/log";
    const inShell = (image: string, script: string) =>
      engine!.docker(["run", "--rm", "--network=none", "--entrypoint", "/bin/sh", image, "-c", script]);
    const files = async (image: string) =>
      (await inShell(image, `find ${places} ! -type d 2>/dev/null; true`)).trim().split("\n");
    const ofBase = new Set(await files(BASE_IMAGE));
    const added = (await files(IMAGE)).filter((file) => !ofBase.has(file));
    // systemd, which a package depends on, says there where the logs are
    const expected = ["/usr/local/bin/browser-stream", "/var/log/README"];
    assert.deepEqual(added.filter((file) => !expected.includes(file)), []);
    assert.ok(added.includes(expected[0]));
    const found = await inShell(IMAGE, "command -v deno npm; dpkg --verify; true");
    // a slim base leaves documents out
    assert.deepEqual(found.split("\n").filter((line) => line !== "" && !line.includes(" /usr/share/")), []);
    const history = await engine!.docker(["history", "--no-trunc", "--format", "{{.CreatedBy}}", IMAGE]);
    assert.doesNotMatch(history, /machine\.crt|denort/i);
  },
);

imageTest(
  "a page becomes a channel that players read, and the engine calls the container healthy",
  async () => {
    await service.up();
    const id = await service.clock();
    await untilPageShown(service, id, 0, { limitMs: 30_000 });
    const { streams } = await probe(`${service.url}/api/hls/live/${id}/index.m3u8`);
    assert.deepEqual(streams.map(({ codec_name }) => codec_name).sort(), ["aac", "h264"]);
    await within("the health check", 60_000, async () => {
      return await service.inspect("{{.State.Health.Status}}") === "healthy";
    });
  },
);

imageTest("whoever takes a browser over by VNC sees its page", async () => {
  await service.up();
  await using viewer = await enter(service, await tokenOf(service, await service.clock()));
  await within("the page", 20_000, async () => {
    await viewer.refresh();
    return viewer.colour(1100, 600) === PAGE_COLOUR;
  });
});

imageTest("of the container's ports only 3000 answers from outside", async () => {
  await service.up();
  const address = await service.inspect("{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}");
  const open = await Promise.all(
    [3000, 6080, 8888, 1935].map((port) =>
      Deno.connect({ hostname: address, port }).then((connection) => connection.close()).then(
        () => port,
        () => 0,
      )
    ),
  );
  assert.deepEqual(open, [3000, 0, 0, 0]);
  assert.equal(await service.inspect("{{len .HostConfig.PortBindings}}"), "1");
});

imageTest("Chromium's sandbox is on: renderers have namespaces and a filter of their own", async () => {
  await service.up();
  await service.clock();
  const all = await service.processes();
  const renderers = all.filter(({ command }) => command.includes("--type=renderer"));
  const up = all.find(({ command }) => command === "browser-stream up")!;
  assert.ok(renderers.length > 0, "no renderer runs");
  for (const { pid, status } of renderers) {
    for (const kind of ["user", "pid", "net"]) {
      const [its, ours] = [pid, up.pid].map((one) => Deno.readLinkSync(`/proc/${one}/ns/${kind}`));
      assert.notEqual(its, ours, `a renderer has the container's ${kind} namespace`);
    }
    assert.equal(status.Seccomp, "2");
    assert.ok(Number(status.Seccomp_filters) > Number(up.status.Seccomp_filters), "no filter of its own");
    assert.equal(BigInt(`0x${status.CapEff}`), 0n);
  }
  assert.doesNotMatch(await service.logs(), /without its sandbox/);
});

imageTest(
  "no process has more rights than the compose file lists, and no program of a stream has any",
  async () => {
    await service.up();
    await service.clock();
    for (const { command, status } of await service.processes()) {
      // what is in a user namespace of its own has rights there alone
      if (/--type=(zygote|renderer|utility)/.test(command)) continue;
      const has = BigInt(`0x${status.CapEff}`);
      assert.equal(BigInt(`0x${status.CapBnd}`) & ~LISTED, 0n, command);
      assert.equal(has, status.Uid.startsWith("0\t") ? LISTED : 0n, command);
      assert.equal(status.NoNewPrivs, "1", command);
    }
  },
);

imageTest("root in the container can neither mount nor trace, nor reach another's namespaces", async () => {
  await service.up();
  const refused: string[][] = [
    ["mount", "-t", "tmpfs", "none", "/mnt"],
    ["unshare", "--mount", "true"],
    ["unshare", "--user", "--mount", "true"],
    ["unshare", "--uts", "true"],
    ["nsenter", "--target", "1", "--ipc", "true"],
  ];
  for (const argv of refused) {
    const { code, stderr } = await service.exec(...argv);
    assert.notEqual(code, 0, argv.join(" "));
    assert.match(stderr, /not permitted|denied/, argv.join(" "));
  }
  assert.equal((await service.exec("unshare", "--user", "--pid", "--net", "--fork", "true")).code, 0);
});

imageTest("docker stop ends within its grace, in order, and the browser has saved its profile", async () => {
  await service.up();
  await service.clock();
  const before = await service.processes();
  const from = performance.now();
  await service.compose(["stop"]);
  const tookMs = performance.now() - from;
  assert.ok(tookMs < 15_000, `${tookMs} ms`);
  const left = before.filter(({ pid, command }) => commandLine(pid) === command);
  assert.deepEqual(left.map(({ command }) => command), []);
  assert.equal(await service.inspect("{{.State.ExitCode}}"), "0");
  assert.match(await service.logs(), / info stopped$/m);
  service.cookies.length = 0;
  await service.up();
  await within("the page to be asked for", 30_000, () => service.cookies.length > 0);
  assert.equal(service.cookies[0], "known=yes");
});

imageTest("docker kill: the next start has every stream again, and no stale lock keeps it down", async () => {
  await service.up();
  const id = await service.clock();
  await service.docker("kill", service.container);
  await service.up();
  await service.clock();
  await untilPageShown(service, id, 0, { limitMs: 30_000 });
});

imageTest(
  "a new container with another host name goes on with the old volumes: streams, sign-ins, thumbnails",
  async () => {
    await service.up();
    const id = await service.clock();
    const thumb = async () => (await service.api("GET", `/api/streams/${id}/thumb`)).status;
    await within("a thumbnail", 90_000, async () => await thumb() === 200);
    const before = await service.inspect("{{.Id}}");
    service.cookies.length = 0;
    await service.up({ text: withLine(readCompose(), "hostname: another-host") });
    assert.notEqual(await service.inspect("{{.Id}}"), before);
    await service.clock();
    await within("the page to be asked for", 30_000, () => service.cookies.length > 0);
    assert.equal(service.cookies[0], "known=yes");
    assert.equal(await thumb(), 200);
  },
);

imageTest(
  "with a login nothing but the health check answers without it, and the password is in no process",
  async () => {
    const [AUTH_USER, AUTH_PASS] = ["anna", "correct horse battery"];
    await service.up({ env: { AUTH_USER, AUTH_PASS } });
    assert.ok(await isHealthy(service.url));
    const stranger = await fetch(`${service.url}/api/streams`);
    await stranger.body?.cancel();
    assert.equal(stranger.status, 401);
    await service.clock();
    for (const { pid, command } of await service.processes()) {
      if (/^\S*(tini|browser-stream up)/.test(command)) continue; // what the container was started with
      assert.ok(!Deno.readTextFileSync(`/proc/${pid}/environ`).includes(AUTH_PASS), command);
    }
  },
);

imageTest(
  "with a read-only root the same works, and nothing but volumes and tmpfs was written to",
  async () => {
    await service.up({ text: READ_ONLY(readCompose()) });
    assert.equal(await service.inspect("{{.HostConfig.ReadonlyRootfs}}"), "true");
    const id = await service.clock();
    await untilPageShown(service, id, 0, { limitMs: 30_000 });
    assert.doesNotMatch(await service.logs(), /WARNING|EROFS|[Rr]ead-only/);
    assert.notEqual((await service.exec("touch", "/usr/local/bin/x")).code, 0);
  },
);

imageTest(
  "with SYS_ADMIN each stream has shared memory of its own, and still nothing can be mounted",
  async () => {
    await service.up({ text: inForce(readCompose(), "- SYS_ADMIN") });
    await service.clock();
    const all = await service.processes();
    const [display, up] = [/^\/usr\/bin\/Xvnc /, /^browser-stream up$/].map((name) =>
      all.find(({ command }) => name.test(command))!.pid
    );
    const [its, ours] = [display, up].map((pid) => Deno.readLinkSync(`/proc/${pid}/ns/ipc`));
    assert.notEqual(its, ours);
    assert.notEqual((await service.exec("mount", "-t", "tmpfs", "none", "/mnt")).code, 0);
    assert.notEqual((await service.exec("unshare", "--mount", "true")).code, 0);
  },
);

imageTest("every commented part of docker-compose.yml can be put in force", async () => {
  const parts = ['- "1935:1935"', "- SYS_ADMIN", "read_only: true", "tmpfs:", "devices:"];
  await using file = await tempDir();
  const path = `${file.path}/docker-compose.yml`;
  await Deno.writeTextFile(path, parts.reduce(inForce, readCompose()));
  const understood = await engine!.compose(["--file", path, "--project-directory", ".", "config"], {});
  for (const said of ["1935", "SYS_ADMIN", "read_only: true", "/app/data:mode=755", "/dev/dri"]) {
    assert.ok(understood.includes(said), said);
  }
});

/**
 * Whether it starts with all that keeps streams apart, shows a page, does so again after the death of supervisord, with
 * nothing of before left, and replaces a display that a signal has stopped.
 */
async function works(text: string): Promise<boolean> {
  await service.up({ text }, false);
  let isUp = false;
  await within("the service to answer, or to end", TRIAL_MS, async () => {
    isUp = await isHealthy(service.url);
    return isUp || Number(await service.inspect("{{.RestartCount}}")) > 0;
  }).catch(() => {});
  if (!isUp || /packet filter cannot be used/.test(await service.logs())) return false;
  await service.clock();
  if (await unseen() !== "") return false;
  const supervisord = (await service.processes()).find(({ command }) => command.includes("supervisord -n"))!;
  const before = programsOf(await service.processes());
  Deno.kill(supervisord.pid, "SIGKILL");
  const isBack = await within("the stream to be back", TRIAL_MS, async () => {
    const now = programsOf(await service.processes());
    return now.length === before.length && !now.some((pid) => before.includes(pid)) &&
      (await service.status("clock"))?.state === "running";
  }).then(() => true, () => false);
  if (!isBack) return false;
  const [stopped] = displaysOf(await service.processes());
  Deno.kill(stopped, "SIGSTOP");
  return await within("another display in its place", TRIAL_MS, async () => {
    const now = displaysOf(await service.processes());
    return now.length > 0 && !now.includes(stopped) && (await service.status("clock"))?.state === "running";
  }).then(() => true, () => false);
}

/** The processes of which root does not see whose they are: what ends a run has to. */
async function unseen(): Promise<string> {
  const look = "for p in /proc/[0-9]*; do cat $p/environ >/dev/null 2>&1 || [ ! -d $p ] || echo $p; done";
  return (await service.exec("sh", "-c", look)).stdout.trim();
}

function displaysOf(all: ContainerProcess[]): number[] {
  return all.filter(({ command }) => command.startsWith("/usr/bin/Xvnc ")).map(({ pid }) => pid);
}

/** Displays, doors and media servers, of which there must not be two. ffmpeg also takes thumbnails, and comes and goes. */
function programsOf(all: ContainerProcess[]): number[] {
  return all.filter(({ command }) => /^(\/usr\/bin\/Xvnc |nginx: master)/.test(command)).map(({ pid }) =>
    pid
  );
}

imageTest(
  "the service recovers from the death of supervisord, with the rights that the compose file lists",
  async () => {
    assert.ok(await works(readCompose()));
    await within("the dead to be collected", 10_000, async () => {
      return (await service.processes()).every(({ status }) => !status.State.startsWith("Z"));
    });
  },
);

for (const name of addedCapabilities(readCompose())) {
  imageTest(`without ${name} it does not start, does not recover, or keeps and ends less`, async () => {
    assert.equal(await works(without(readCompose(), name)), false);
  });
}

const podProblem = problem ?? await whyNoPod();

Deno.test({
  name: `the pod of deploy/kubernetes is a node of a cluster, and has a stream of a page${
    podProblem ? ` (${podProblem})` : ""
  }`,
  ignore: podProblem !== null,
  fn: async () => {
    await service.compose(["stop"]); // it would take memory and processors
    await using dir = await tempDir();
    const archive = join(dir.path, "image.tar");
    await engine!.docker(["save", "--output", archive, IMAGE], TRIAL_MS * 10);
    const [user, pass] = ["anna", "correct horse battery"];
    const secrets = {
      "cluster-secret": "0123456789abcdef".repeat(4),
      "nats-login": "node:sesame",
      "auth-user": user,
      "auth-pass": pass,
    };
    await using pod = await Pod.start(dir.path, archive, secrets, {
      CLUSTER: `nats://${Pod.MACHINE}:4222`,
      CAPACITY_CHECK: "off",
    });
    const config = join(dir.path, "nats.conf");
    await Deno.writeTextFile(
      config,
      `listen: "${Pod.MACHINE}:4222"
jetstream { store_dir: "${dir.path}/nats" }
authorization { user: "node", password: "sesame" }
`,
    );
    await using _nats = spawned("/usr/sbin/nats-server", ["-c", config]);
    await within("the pod to answer", TRIAL_MS, () => isHealthy(pod.url));
    const founded = await pod.exec("browser-stream", "cluster", "init");
    assert.equal(founded.code, 0, founded.stderr);
    // sessions are the cluster's from then on
    await within("the pod to join", TRIAL_MS, async () => /joined the cluster/.test(await pod.logs()));
    let asked = 0;
    await using page = Deno.serve({ hostname: Pod.MACHINE, port: 0, onListen: () => {} }, () => {
      asked++;
      return new Response(readFixture("clock.html"), { headers: { "content-type": "text/html" } });
    });
    const cookie = await logIn(pod.url, user, pass);
    const api = (method: string, path: string, body?: unknown) => askApi(pod.url, cookie, method, path, body);
    const json = async (path: string) => await (await api("GET", path)).json();
    const clock = { name: "Clock", url: `http://${Pod.MACHINE}:${page.addr.port}/`, fps: 10 };
    await same(async () => (await api("POST", "/api/streams", clock)).status, 201);
    await same(async () => (await json("/api/streams/statuses")).clock?.state, "running");
    await same(async () => (await api("GET", "/api/streams/clock/thumb")).status, 200);
    assert.ok(asked > 0);
    assert.deepEqual((await json("/api/nodes")).map(({ name }: { name: string }) => name), [
      "browser-stream-0",
    ]);
    assert.doesNotMatch(await pod.logs(), /without its sandbox|packet filter cannot be used/);
    const { stdout: status } = await pod.exec("cat", "/proc/1/status");
    assert.equal(BigInt(`0x${/^CapBnd:\s*(\S+)/m.exec(status)![1]}`), LISTED);
    assert.match(status, /^Seccomp:\s*2$/m);
  },
});

/** A program that runs until it is disposed of. */
function spawned(path: string, args: string[]): AsyncDisposable {
  const child = new Deno.Command(path, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}
