/** The executable as it installs itself, on a machine whose first process is systemd. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { run } from "../../lib/machine/os/process.ts";
import { VERSION } from "../../lib/machine/tools/version.ts";
import { changeBundle } from "../support/changed_bundle.ts";
import { compileService } from "../support/denort.ts";
import { root, tempDir } from "../support/fixture.ts";
import { servePages } from "../support/page.ts";
import { within } from "../support/within.ts";
import { isHealthy, logIn, OWN_SCRIPT } from "../support/service.ts";
import { reserveSlot } from "../support/slot.ts";
import { startSystemd, type SystemdMachine, whyNoSystemd } from "../support/systemd.ts";

const UNIT = "/etc/systemd/system/browser-stream.service";

const problem = await whyNoSystemd();

interface Difference {
  /** What its unit has more. */
  unitEnd?: string;
  version?: string;
}

/** Compiles the program, or one that differs from it. */
async function compile(
  folder: string,
  name: string,
  { unitEnd = "", version = VERSION }: Difference = {},
): Promise<string> {
  const copy = join(folder, `source-${name}`);
  await Deno.mkdir(copy);
  for (const part of ["_fresh", "scripts", "lib", "deno.json"]) {
    assert.equal((await run(["cp", "-r", join(root, part), copy], { timeoutMs: 20_000 })).code, 0);
  }
  const unit = join(copy, "_fresh/templates/browser-stream.service");
  const text = await Deno.readTextFile(unit);
  await Deno.writeTextFile(unit, text.replace("[Install]", `${unitEnd}\n[Install]`));
  const written = `VERSION = "${VERSION}"`;
  const files = await changeBundle(join(copy, "_fresh"), written, `VERSION = "${version}"`);
  assert.equal(files, 1, `${written} stands in one file of the program`);
  const executable = join(folder, name);
  await compileService(copy, executable);
  return executable;
}

/** Runs a program there that has to succeed. */
async function must(machine: SystemdMachine, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await machine.run(...argv);
  assert.equal(code, 0, `${argv.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** What /proc says of a program's processes there. */
async function sandboxOf(machine: SystemdMachine): Promise<{ namespaces: number; statuses: string[] }> {
  const script = "for pid in $(pgrep -x chromium); do readlink /proc/$pid/ns/user; done | sort -u | wc -l; " +
    'for pid in $(pgrep -x "chromium|Xvnc|ffmpeg"); do grep -E "^(NoNewPrivs|Seccomp|CapEff):" /proc/$pid/status | xargs; done';
  const [count, ...statuses] = (await must(machine, "/bin/sh", "-c", script)).trim().split("\n");
  return { namespaces: Number(count), statuses };
}

Deno.test({
  name: `installed by itself it streams, is restored and upgraded, takes a bad upgrade back, and goes (${
    problem ?? "systemd"
  })`,
  ignore: problem !== null,
  fn: async () => {
    await using dir = await tempDir();
    const executable = await compile(dir.path, "one");
    const next = await compile(dir.path, "next", { version: "99.1.0" });
    const broken = await compile(dir.path, "broken", { unitEnd: "ExecStartPre=/bin/false" });
    using slot = reserveSlot();
    await using pages = servePages();
    await using machine = await startSystemd();
    const settings = {
      ...slot.env,
      HOST: "127.0.0.1",
      ALLOW_LOCAL_STREAMS: "true",
      AUTH_USER: "anna",
      AUTH_PASS: "a b",
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"`).join("\n");
    await Deno.mkdir(machine.path("/etc/browser-stream"), { recursive: true });
    await Deno.writeTextFile(machine.path("/etc/browser-stream/environment"), lines + "\n", { mode: 0o600 });
    // in a folder that only root can enter, as one's own home is
    for (const [from, to] of [[executable, "/run/one"], [next, "/run/next"], [broken, "/run/broken"]]) {
      await Deno.copyFile(from, machine.path(to));
    }

    assert.match(await must(machine, "/run/one", "install"), /Installed and started/);
    const url = `http://127.0.0.1:${settings.PORT}`;
    const headers = {
      ...OWN_SCRIPT,
      cookie: await logIn(url, "anna", "a b"),
      "content-type": "application/json",
    };
    const body = JSON.stringify({ name: "Clock", url: pages.url, fps: 5 });
    const created = await fetch(`${url}/api/streams`, { method: "POST", headers, body });
    assert.equal(created.status, 201, await created.text());
    const state = async () => {
      const answer = await fetch(`${url}/api/streams/statuses`, { headers });
      const statuses = await answer.json();
      return answer.ok ? statuses.clock?.state : answer.status;
    };
    await within("the stream to run", 30_000, async () => await state() === "running");
    const owner = await must(machine, "stat", "--format=%U", "/var/lib/browser-stream/streams/streams.json");
    assert.equal(owner, "browser-stream\n");
    const webUser = await must(machine, "pgrep", "--count", "--euid", "browser-stream", "--full", " serve$");
    assert.equal(webUser, "1\n", "the web app is that user");
    const { namespaces, statuses } = await sandboxOf(machine);
    assert.ok(namespaces >= 2, "Chromium runs without its sandbox");
    assert.ok(statuses.length >= 5, statuses.join("\n"));
    for (const one of statuses) assert.match(one, /NoNewPrivs: 1 Seccomp: 2/);
    const doctor = JSON.parse(await must(machine, "browser-stream", "doctor", "--json"));
    assert.equal(doctor.ok, true, JSON.stringify(doctor, null, 2));

    await must(machine, "browser-stream", "backup", "/root/saved.tar.gz");
    const refused = await machine.run("browser-stream", "restore", "/root/saved.tar.gz");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /already runs .*\(pid \d+\)\. Stop it first: systemctl stop browser-stream/);
    await fetch(`${url}/api/streams/clock`, { method: "DELETE", headers }).then((answer) =>
      answer.body?.cancel()
    );
    await must(machine, "systemctl", "stop", "browser-stream");
    await must(machine, "browser-stream", "restore", "/root/saved.tar.gz");
    await must(machine, "systemctl", "start", "browser-stream");
    await within("it to answer", 30_000, () => isHealthy(url));
    await within("the restored stream to run", 30_000, async () => await state() === "running");

    const version = () => must(machine, "browser-stream", "--version");
    assert.match(await version(), new RegExp(`^browser-stream ${VERSION.replaceAll(".", "\\.")} `));
    assert.match(
      await must(machine, "/run/next", "upgrade"),
      /^Upgraded\. Backup of the data before: \S+\n$/,
    );
    assert.match(await version(), /^browser-stream 99\.1\.0 /);
    await within("the stream to run after the upgrade", 30_000, async () => await state() === "running");
    const answer = await fetch(`${url}/api/streams`, { headers });
    assert.equal(answer.headers.get("x-browser-stream-version"), "99.1.0", "the new one answers");
    assert.equal((await answer.json()).length, 1);

    const before = await version();
    const upgrade = await machine.run("/run/broken", "upgrade");
    assert.equal(upgrade.code, 1);
    assert.match(upgrade.stderr, /upgrade was undone: [\s\S]*The old version runs again/);
    assert.equal(await must(machine, "browser-stream", "--version"), before);
    assert.doesNotMatch(await must(machine, "systemctl", "cat", "browser-stream"), /ExecStartPre/);
    await within("the stream to run again", 30_000, async () => await state() === "running");

    const USER = "/etc/sysusers.d/browser-stream.conf";
    const places = [
      "/usr/local/bin/browser-stream",
      UNIT,
      USER,
      "/etc/browser-stream",
      "/var/lib/browser-stream",
    ];
    const left = async () => {
      assert.equal(await isHealthy(url), false);
      const running = "pgrep -x 'chromium|Xvnc|ffmpeg|supervisord' || echo none";
      assert.equal(await must(machine, "/bin/sh", "-c", running), "none\n");
      const there = await Promise.all(
        places.map(async (path) => (await machine.run("test", "-e", path)).code === 0),
      );
      return places.filter((_, at) => there[at]);
    };
    assert.match(await must(machine, "browser-stream", "uninstall"), /^Removed\. These stay: /);
    assert.deepEqual(
      await left(),
      [USER, "/etc/browser-stream", "/var/lib/browser-stream"],
      "data, their user and settings stay",
    );
    assert.match(await must(machine, "/run/next", "install"), /Installed and started/);
    await within("the stream of before to run", 30_000, async () => await state() === "running");

    await must(machine, "browser-stream", "uninstall", "--purge");
    assert.deepEqual(await left(), []);
    assert.equal((await machine.run("getent", "passwd", "browser-stream")).code, 2, "its user is gone");
  },
});
