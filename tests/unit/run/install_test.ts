import assert from "node:assert/strict";
import { join } from "node:path";
import { CommandError } from "../../../lib/run/command_error.ts";
import { installFiles, installHere } from "../../../lib/run/install/install.ts";
import { healthAddress, type Host, placesOf, thisHost } from "../../../lib/run/install/places.ts";
import { uninstallHere } from "../../../lib/run/install/uninstall.ts";
import { upgradeHere } from "../../../lib/run/install/upgrade.ts";
import { parseSettings, withSettingsFile } from "../../../lib/run/settings_file.ts";
import { run } from "../../../lib/machine/os/process.ts";
import { isThere, root as checkout, tempDir } from "../../support/fixture.ts";

interface Machine extends AsyncDisposable {
  host: Host;
  /** What systemd was told. */
  told: string[];
  places: ReturnType<typeof placesOf>;
  /** An executable of this content, with the checkout's unit. */
  program(content: string): Promise<{ root: string; executable: string[] }>;
  /** What install or upgrade said, with its code. */
  said(work: () => Promise<number>): Promise<{ code: number; text: string }>;
}

/** A machine in a folder. @param healthy whether the web app answers, at each question. */
async function machine(healthy: boolean[] = [], overrides: Partial<Host> = {}): Promise<Machine> {
  const dir = await tempDir();
  const told: string[] = [];
  const host: Host = {
    root: join(dir.path, "root"),
    isBooted: () => Promise.resolve(true),
    systemctl: (...args) => Promise.resolve(void told.push(args.join(" "))),
    makeUser: () => Promise.resolve(void told.push("make the user")),
    removeUser: () => Promise.resolve(void told.push("remove the user")),
    isHealthy: () => Promise.resolve(healthy.shift() ?? assert.fail("nobody should ask")),
    ...overrides,
  };
  return {
    host,
    told,
    places: placesOf(host),
    program: async (content) => {
      const file = join(dir.path, "new");
      await Deno.writeTextFile(file, content);
      return { root: checkout, executable: [file] };
    },
    said: async (work) => {
      const { log, error } = console;
      const lines: unknown[] = [];
      console.log = console.error = (line: unknown) => lines.push(line);
      try {
        return { code: await work(), text: lines.join("\n") };
      } finally {
        Object.assign(console, { log, error });
      }
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const packages = () => Promise.resolve();
const modeOf = (path: string) => Deno.lstatSync(path).mode! & 0o7777;
const text = (path: string) => Deno.readTextFileSync(path);
const UNIT = text(join(checkout, "templates/browser-stream.service"));

/** A machine where version "one" is installed. */
async function installed(healthy: boolean[], overrides: Partial<Host> = {}): Promise<Machine> {
  const one = await machine([true, ...healthy], overrides);
  await one.said(async () => await installHere(one.host, await one.program("one"), packages));
  one.told.length = 0;
  return one;
}

Deno.test("install puts executable, settings and unit in place, and starts the service", async () => {
  await using one = await machine([true]);
  const { code, text: said } = await one.said(async () =>
    await installHere(one.host, await one.program("one"), packages)
  );
  assert.equal(code, 0);
  assert.match(said, /Installed and started\. Its settings are in \S+\/etc\/browser-stream\/environment/);
  assert.deepEqual([text(one.places.executable), modeOf(one.places.executable)], ["one", 0o755]);
  assert.deepEqual([text(one.places.unit), modeOf(one.places.unit)], [UNIT, 0o644]);
  assert.equal(modeOf(one.places.settings), 0o600, "passwords may be in it");
  assert.deepEqual(parseSettings(text(one.places.settings)), { DATA_DIR: "/var/lib/browser-stream" });
  assert.ok(await isThere(one.places.policies), "the unit lets the service write there");
  assert.equal(
    text(one.places.user),
    'u browser-stream - "Browser Stream\'s web app" /var/lib/browser-stream\n',
  );
  assert.deepEqual(one.told, [
    "make the user",
    "daemon-reload",
    "enable browser-stream.service",
    "restart browser-stream.service",
  ]);
});

Deno.test("install leaves settings that are there, and refuses to be done twice", async () => {
  await using one = await installed([]);
  await Deno.writeTextFile(one.places.settings, "PORT=80\n");
  const two = await one.program("two");
  await assert.rejects(installHere(one.host, two, packages), /installed already .* browser-stream upgrade/);
  assert.equal(text(one.places.executable), "one");
  await Deno.remove(one.places.unit);
  await one.said(() => installHere({ ...one.host, isHealthy: () => Promise.resolve(true) }, two, packages));
  assert.equal(text(one.places.settings), "PORT=80\n");
});

Deno.test("install does nothing without systemd, or from a checkout, and says what to do", async () => {
  await using one = await machine([], { isBooted: () => Promise.resolve(false) });
  const noPackages = () => assert.fail("packages were installed");
  const file = await one.program("one");
  await assert.rejects(
    installHere(one.host, file, noPackages),
    /systemd does not run here.*\n.*docker-compose/,
  );
  const source = { root: checkout, executable: ["deno", "run", "main.ts"] };
  await assert.rejects(
    installHere(one.host, source, noPackages),
    /deno task compile && sudo dist\/browser-stream/,
  );
  assert.ok(!await isThere(one.host.root));
});

Deno.test("install that does not come up says where to look, and ends with 1", async () => {
  await using one = await machine([false]);
  const { code, text: said } = await one.said(async () =>
    await installHere(one.host, await one.program("one"), packages)
  );
  assert.equal(code, 1);
  assert.match(said, /does not answer.*journalctl --unit browser-stream\.service\n.*doctor/);
});

Deno.test({
  name: "install --root= enables the unit for another machine, and starts nothing [needs systemctl]",
  ignore: !await isThere("/usr/bin/systemctl"),
  fn: async () => {
    await using one = await machine();
    const host = thisHost(one.host.root);
    const { code, text: said } = await one.said(async () =>
      await installFiles(host, await one.program("one"))
    );
    assert.equal(code, 0);
    assert.match(said, /needs these Debian packages\. Run there:\n\n {2}sudo apt-get update .* chromium /);
    const link = join(host.root, "etc/systemd/system/multi-user.target.wants/browser-stream.service");
    assert.match(await Deno.readLink(link), /browser-stream\.service$/);
    assert.equal(text(one.places.executable), "one");
    assert.match(
      text(join(host.root, "etc/passwd")),
      /^browser-stream:x:\d+:.*:\/var\/lib\/browser-stream:.*nologin$/m,
    );
  },
});

Deno.test("upgrade replaces executable and unit, and saves the data before", async () => {
  await using one = await installed([true]);
  await Deno.writeTextFile(one.places.unit, "of version one");
  await Deno.mkdir(join(one.places.data, "streams"));
  await Deno.writeTextFile(join(one.places.data, "streams/streams.json"), "[]");
  const { code, text: said } = await one.said(async () =>
    await upgradeHere(one.host, await one.program("two"), packages)
  );
  assert.equal(code, 0);
  const saved = join(one.places.data, "before-upgrade.tar.gz");
  assert.ok(said.includes(saved) && await isThere(saved));
  assert.equal(modeOf(saved), 0o600);
  assert.deepEqual([text(one.places.executable), text(one.places.unit)], ["two", UNIT]);
  assert.ok(!await isThere(one.places.previous));
  assert.deepEqual(one.told, ["make the user", "daemon-reload", "restart browser-stream.service"]);
});

const FAILURES: Record<string, { healthy: boolean[]; failsAt?: string; isBack: boolean }> = {
  "does not answer": { healthy: [false, true], isBack: true },
  "does not start": { healthy: [true], failsAt: "restart browser-stream.service", isBack: true },
  "does not answer, nor the one before": { healthy: [false, false], isBack: false },
};

for (const [name, { healthy, failsAt, isBack }] of Object.entries(FAILURES)) {
  Deno.test(`upgrade to a version that ${name} takes it back`, async () => {
    await using one = await installed(healthy);
    await Deno.writeTextFile(one.places.unit, "of version one");
    let hasFailed = false;
    const host: Host = {
      ...one.host,
      systemctl: async (...args) => {
        await one.host.systemctl(...args);
        if (hasFailed || args.join(" ") !== failsAt) return;
        hasFailed = true;
        throw new CommandError("Job failed");
      },
    };
    const two = await one.program("two");
    const { code, text: said } = await one.said(() => upgradeHere(host, two, packages));
    assert.equal(code, 1);
    assert.match(said, failsAt ? /undone: Job failed/ : /undone: it did not answer within 60 s/);
    assert.deepEqual([text(one.places.executable), text(one.places.unit)], ["one", "of version one"]);
    assert.match(said, isBack ? /old version runs again/ : /does not answer either. It is kept as/);
    assert.equal(await isThere(one.places.previous), !isBack);
    const tries = ["daemon-reload", "restart browser-stream.service"];
    assert.deepEqual(one.told, ["make the user", ...tries, ...tries]);
  });
}

Deno.test("upgrade of nothing, or by the installed executable itself, is refused", async () => {
  await using none = await machine();
  await assert.rejects(upgradeHere(none.host, await none.program("one"), packages), /not installed yet/);
  await using one = await installed([]);
  const itself = { root: checkout, executable: [one.places.executable] };
  await assert.rejects(
    upgradeHere(one.host, itself, packages),
    /Run the new one: sudo \.\/browser-stream upgrade/,
  );
  assert.deepEqual(one.told, []);
});

Deno.test("uninstall stops the service and keeps data and settings; --purge removes them", async () => {
  await using one = await installed([]);
  await Deno.writeTextFile(join(one.places.data, "precious"), "");
  const { text: said } = await one.said(() => uninstallHere(one.host, false));
  assert.match(said, /These stay: .*browser-stream, .*\n\(uninstall --purge/);
  for (const path of [one.places.executable, one.places.unit]) assert.ok(!await isThere(path), path);
  assert.ok(await isThere(join(one.places.data, "precious")) && await isThere(one.places.settings));
  assert.deepEqual(one.told, ["disable --now browser-stream.service", "daemon-reload"]);
  await assert.rejects(uninstallHere(one.host, false), /is not installed/);
  one.told.length = 0;
  await one.said(() => uninstallHere(one.host, true));
  for (const path of [one.places.data, one.places.settings, one.places.user]) {
    assert.ok(!await isThere(path), path);
  }
  assert.deepEqual(one.told, ["remove the user"]);
});

Deno.test("uninstall removes nothing of a service that cannot be stopped", async () => {
  await using one = await installed([]);
  const systemctl = () => Promise.reject(new CommandError("no"));
  await assert.rejects(uninstallHere({ ...one.host, systemctl }, true), /no/);
  for (const path of [one.places.executable, one.places.unit, one.places.data]) {
    assert.ok(await isThere(path), path);
  }
});

Deno.test("the health check is where the settings say", () => {
  assert.equal(healthAddress({}), "http://127.0.0.1:3000/healthz");
  assert.equal(healthAddress({ PORT: "80", HOST: "::1" }), "http://[::1]:80/healthz");
});

Deno.test("settings are read as systemd reads them", () => {
  const file = [
    "# a comment",
    "; another",
    "PORT=80",
    ' AUTH_USER="anna b" ',
    "AUTH_PASS='a\"b\\c'",
    'WEBHOOK_SECRET="a\\"b"',
    "TZ=",
    "no variable",
    "PUBLIC_URL=https://tv.example.org/?a=b",
  ].join("\n");
  assert.deepEqual(parseSettings(file), {
    PORT: "80",
    AUTH_USER: "anna b",
    AUTH_PASS: 'a"b\\c',
    WEBHOOK_SECRET: 'a"b',
    TZ: "",
    PUBLIC_URL: "https://tv.example.org/?a=b",
  });
});

Deno.test("what a person types has the installed service's settings, unless they name its data themselves", async () => {
  await using dir = await tempDir();
  const file = join(dir.path, "environment");
  assert.deepEqual(await withSettingsFile({ PORT: "1" }, file), { PORT: "1" }, "nothing is installed");
  await Deno.writeTextFile(file, "PORT=80\n");
  assert.deepEqual(await withSettingsFile({ TZ: "UTC" }, file), {
    DATA_DIR: "/var/lib/browser-stream",
    WEB_USER: "browser-stream",
    PORT: "80",
    TZ: "UTC",
  });
  assert.deepEqual(await withSettingsFile({ DATA_DIR: "/srv/tv" }, file), { DATA_DIR: "/srv/tv" });
});

/** All words of a setting of the unit, which may stand there several times. */
const words = (setting: string) =>
  [...UNIT.matchAll(new RegExp(`^${setting}=(.*)$`, "gm"))].flatMap(([, value]) => value.split(" "));

Deno.test("the unit has the container's capabilities, that for shared memory, and that for a low port", async () => {
  const compose = await Deno.readTextFile(join(checkout, "docker-compose.yml"));
  const [, listed] = /cap_add:\n((?: +(?:#.*|- \w+.*)\n)+)/.exec(compose)!;
  const ofContainer = [...listed.matchAll(/^ +- (\w+)/gm)].map(([, name]) => `CAP_${name}`);
  assert.ok(ofContainer.length >= 9, listed);
  assert.deepEqual(
    words("CapabilityBoundingSet").sort(),
    [...ofContainer, "CAP_SYS_ADMIN", "CAP_NET_BIND_SERVICE"].sort(),
  );
});

Deno.test({
  name:
    "systemd finds no fault in the unit, and its exposure is what the documents say [needs systemd-analyze]",
  ignore: !await isThere("/usr/bin/systemd-analyze"),
  fn: async () => {
    await using dir = await tempDir();
    const file = join(dir.path, "browser-stream.service");
    await Deno.writeTextFile(file, UNIT.replace("/usr/local/bin/browser-stream", "/bin/true"));
    const analyze = (...args: string[]) => run(["systemd-analyze", ...args, file], { timeoutMs: 20_000 });
    const { code, stderr } = await analyze("verify");
    assert.deepEqual([code, stderr], [0, ""]);
    const { stdout } = await analyze("security", "--offline=true", "--no-pager");
    const [, score] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout)!;
    const documented = await Deno.readTextFile(join(checkout, "docs/install.md"));
    assert.ok(documented.includes(`exposure level of ${score}`), score);
  },
});
