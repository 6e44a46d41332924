/** What each user of a service started as root can reach of the others: tables of attempts, in real processes. */
import { strict as assert } from "node:assert";
import { dirname, join } from "node:path";
import { GUARDED, type GuardName } from "../../../lib/machine/broker/guards.ts";
import { parseConfig } from "../../../lib/config.ts";
import {
  browserPipes,
  captureKey,
  displayKey,
  filterTable,
  hubSocket,
  instanceName,
  picturesFolder,
  vncSocket,
} from "../../../lib/paths.ts";
import { policyFile } from "../../../lib/reach/policy.ts";
import { run } from "../../../lib/machine/os/process.ts";
import { RECORDS_FOLDER } from "../../../lib/machine/os/user_records.ts";
import { applicationOf, TARGETS } from "../../../lib/model/segments.ts";
import { readOrNull } from "../../../lib/machine/os/files.ts";
import { MemoryGroups } from "../../../lib/machine/os/memory_group.ts";
import { isListeningAs } from "../../../lib/machine/os/ports.ts";
import { allProcesses } from "../../../lib/machine/os/process_table.ts";
import { processUsers, usersOfProcess } from "../../../lib/machine/os/users.ts";
import {
  asksMedia,
  asksVncProxy,
  attachesSharedMemory,
  type Attempt,
  attempt,
  connects,
  creates,
  findsPort,
  lists,
  looksInto,
  moves,
  opensDisplay,
  opensPipe,
  opensVnc,
  playsRtmp,
  publishesRtmp,
  reads,
  writes,
} from "../../support/attacker.ts";
import {
  attackedTest,
  encoderKey,
  type RunningStream,
  runningStream,
} from "../../support/attacked_service.ts";
import { attackLogin } from "../../support/attack_login.ts";
import { frames } from "../../support/media.ts";
import { commandLine, openFiles, procFile } from "../../support/proc.ts";
import { displayStranger } from "../../support/display_stranger.ts";
import { same, until } from "../../support/same.ts";
import { inSoak } from "../../support/soak.ts";
import { reserveSlot } from "../../support/slot.ts";
import { isHealthy, logIn, SMALLEST, type TestService } from "../../support/service.ts";

const NOBODY = 65_534;
const hasLogin = Object.keys(attackLogin()).length > 0;
/** Tests of the service; none of them where we are not root. */
const needsRoot: typeof attackedTest = Deno.uid() === 0
  ? attackedTest
  : (name) => Deno.test({ name: `${name} [needs root]`, ignore: true, fn: () => {} });

/** Tests of limits of memory, which the kernel's cgroups have. */
const needsCgroups: typeof needsRoot = await canLimitMemory()
  ? needsRoot
  : (name) => Deno.test({ name: `${name} [needs cgroups]`, ignore: true, fn: () => {} });

async function canLimitMemory(): Promise<boolean> {
  if (Deno.uid() !== 0) return false;
  const groups = await MemoryGroups.make(`bs-test-${crypto.randomUUID()}`);
  await groups?.removeAll();
  return groups !== null;
}

/** The key to a display, in hexadecimal. */
async function cookieOf({ slot }: RunningStream): Promise<string> {
  const bytes = await Deno.readFile(slot.xauthority);
  return bytes.slice(-16).reduce((text, byte) => text + byte.toString(16).padStart(2, "0"), "");
}

/** All that belongs to a stream. */
async function thingsOf(service: TestService, stream: RunningStream): Promise<Attempt[]> {
  const { id, display, profile, paths, slot } = stream;
  const kinds = /^(?:display|wm|browser|encoder|audio|autoreload)-/;
  const programs = (await service.status(id)).programs.filter(({ name, pid }) => kinds.test(name) && pid > 0);
  assert.ok(programs.length >= 5, JSON.stringify(programs));
  return [
    ...opensDisplay(display),
    attachesSharedMemory(stream.uid),
    connects(join(slot.pulseDir, "native")),
    connects(slot.busSocket),
    opensVnc(vncSocket(paths, id)),
    ...[slot.xauthority, join(profile, "Default/Cookies"), join(profile, "Local State")].flatMap((path) => [
      reads(path),
      writes(path),
    ]),
    ...[slot.folder, slot.homeDir, slot.tempDir, slot.pulseDir, profile].flatMap((path) => [
      lists(path),
      creates(path),
      moves(path),
    ]),
    ...devtools(stream),
    findsPort(socketsOf(stream.uid)), // the browser's, or one of another program
    reads(displayKey(paths, display)),
    writes(displayKey(paths, display)),
    ...["ask", "video"].map((name) => connects(join(picturesFolder(paths, display), name))),
    lists(picturesFolder(paths, display)),
    creates(picturesFolder(paths, display)),
    reads(captureKey(paths, display)),
    writes(captureKey(paths, display)),
    creates(join(paths.vncDir, id)),
    ...channel(stream),
    reads(join(paths.logsDir, id, "browser.log")),
    ...programs.flatMap(({ pid, name }) => looksInto(pid, name)),
  ];
}

/** The ways to the stream's browser. */
function devtools({ id, paths }: RunningStream): Attempt[] {
  const { input, output } = browserPipes(paths, id);
  const folders = [dirname(input), dirname(hubSocket(paths, id))];
  return [
    ...[input, output].flatMap((path) => [...opensPipe(path), moves(path)]),
    connects(hubSocket(paths, id)),
    ...folders.flatMap((path) => [creates(path), moves(path)]),
  ];
}

/** The sockets of all processes of a user. */
function socketsOf(uid: number): string[] {
  return [...processUsers()].filter(({ uids }) => uids.includes(uid)).flatMap(({ pid }) => {
    try {
      return openFiles(pid).flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.slice(1) ?? []);
    } catch {
      return []; // it has ended
    }
  });
}

/** The stream's segments: not even the stream's own user can put anything there. */
function channel({ id, paths }: RunningStream): Attempt[] {
  const folder = join(paths.hlsDir, "live", id);
  return [
    lists(folder),
    creates(folder),
    reads(join(folder, "index.m3u8")),
    writes(join(folder, "index.m3u8")),
  ];
}

/** What belongs to root, the web app and the shared programs. */
function thingsOfTheService(service: TestService, { paths, id }: RunningStream): Attempt[] {
  const { runDir, configDir, programsDir, streamsDir, streamsFile, specsDir, logsDir, webDir, mediaDir } =
    paths;
  const folders = [runDir, configDir, programsDir, streamsDir, specsDir, logsDir, webDir, mediaDir];
  const pidOf = (pattern: RegExp) => service.processes(pattern)[0];
  const processes = {
    up: service.pid,
    supervisord: pidOf(/supervisord/),
    "the web app": pidOf(/ serve$/),
    websockify: pidOf(/websockify/),
    nginx: pidOf(/nginx\.conf/),
    "the front door": pidOf(/front\.conf/),
    "the capture program": pidOf(/ capture$/),
  };
  return [
    ...[
      paths.supervisorSocket,
      paths.supervisorOwnSocket,
      paths.brokerSocket,
      join(paths.captureDir, "alive"),
    ].map(connects),
    ...[
      streamsFile,
      paths.tokensFile,
      paths.accessTokensFile,
      paths.sessionSecretFile,
      paths.authUserFile,
      paths.authPassFile,
      paths.mediaKeyFile,
      paths.publishSecretFile,
      join(specsDir, `${id}.json`),
      join(configDir, "supervisord.conf"),
      join(configDir, "nginx.conf"),
      join(programsDir, `${id}.conf`),
      join(logsDir, "supervisord.log"),
    ].flatMap((path) => [reads(path), writes(path)]),
    ...[streamsDir, programsDir, specsDir, logsDir, webDir, mediaDir].map(lists),
    ...[
      ...[
        ...folders,
        paths.profilesDir,
        paths.slotsDir,
        paths.vncDir,
        paths.picturesDir,
        paths.captureDir,
        paths.captureKeysDir,
      ],
      join(paths.hlsDir, "live"),
    ].map(creates),
    writes(join(configDir, "openbox.xml")),
    writes(paths.upLock),
    ...Object.entries(processes).flatMap(([name, pid]) => looksInto(pid, name)),
  ];
}

/** Ports of loopback, which every user reaches: what is behind them wants a token or a key. */
function ports(service: TestService, { id, uid, slot }: RunningStream): Attempt[] {
  const { VNC_PROXY_PORT, MEDIA_PORT, RTMP_PORT } = service.env;
  return [
    ...["127.0.0.1", "A".repeat(22), id, String(uid)].map((token) =>
      asksVncProxy(VNC_PROXY_PORT, token, `the token ${token}`)
    ),
    // without a login everybody may watch
    ...(hasLogin ? [null, "", "x", "0".repeat(64)] : []).map((key) =>
      asksMedia(MEDIA_PORT, `/live/${id}/index.m3u8`, key, `the key ${key}`)
    ),
    playsRtmp(RTMP_PORT, `live/${id}`),
    // without a key, with a wrong one, and with that of another channel
    ...["guest", `${id}?key=x`, `guest?key=${encoderKey(slot, id)}`].map((path) =>
      publishesRtmp(RTMP_PORT, path)
    ),
  ];
}

async function assertRefused(uid: number, attempts: Attempt[]): Promise<void> {
  assert.ok(attempts.length > 10);
  const got = (await attempt(uid, attempts)).filter((outcome) => outcome.got).map(({ name }) => name);
  assert.deepEqual(got, []);
}

needsRoot(
  "each stream, the web app and the shared programs have users of their own",
  async (service) => {
    const [a, b] = [await runningStream(service, "Left"), await runningStream(service, "Right")];
    const shared = [/ serve$/, /front\.conf/, /nginx\.conf/, /websockify/, / capture$/].map((command) =>
      service.processes(command)[0]
    );
    const uids = [a.uid, b.uid, ...shared.map((pid) => usersOfProcess(pid)[0])];
    assert.equal(new Set([...uids, 0]).size, 8, String(uids));
    const known = (await Deno.readTextFile("/etc/passwd")).split("\n").map((line) =>
      Number(line.split(":")[2])
    );
    assert.deepEqual(uids.filter((uid) => known.includes(uid)), [], "none is in /etc/passwd");
    const withRoot = () =>
      // the command first: one that supervisord has just begun is supervisord's fork, of root, until it is the program
      service.processes(/./).map((pid) => ({ command: commandLine(pid), users: usersOfProcess(pid) }))
        .filter(({ command, users }) => users.includes(0) && !/ up$|supervisord /.test(command));
    // a program that has just begun is root until it is what it becomes
    await same(withRoot, [], "all else has dropped root");
  },
);

needsRoot(
  "every process that serves the network or a page has no rights, no dumps and no way to more",
  async (service) => {
    const { id } = await runningStream(service, "Left");
    const faults = () =>
      service.processes(/./).filter((pid) => !usersOfProcess(pid).includes(0)).flatMap((pid) => {
        const what = `${pid} ${procFile(pid, "comm")}`;
        const [status, limits] = [procFile(pid, "status"), procFile(pid, "limits")];
        if (status === "" || limits === "") return []; // it has ended meanwhile
        const rules = [/^NoNewPrivs:\s1$/m, /^Groups:\s*$/m, /^Max core file size\s+0\s+0\s/m];
        return rules.filter((rule) => !rule.test(status + limits)).map((rule) => `${what}: not ${rule}`);
      });
    await same(faults, []);
    const browser = await service.programPid(`browser-${id}`);
    assert.match(Deno.readTextFileSync(`/proc/${browser}/limits`), /^Max processes\s+2000\s+2000\s/m);
  },
);

needsRoot("the browser's sandbox is on with all that", async (service) => {
  const { uid } = await runningStream(service, "Left");
  const renderers = [...processUsers()].filter(({ pid, uids }) =>
    uids.includes(uid) && /--type=renderer/.test(commandLine(pid))
  );
  assert.ok(renderers.length > 0);
  const ours = Deno.readLinkSync("/proc/self/ns/user");
  for (const { pid } of renderers) {
    assert.match(Deno.readTextFileSync(`/proc/${pid}/status`), /^Seccomp:\s2$/m, "system calls are filtered");
    assert.notEqual(Deno.readLinkSync(`/proc/${pid}/ns/user`), ours, "a user namespace of its own");
  }
});

needsRoot("the attempts work where they may: a stream's user reaches what is its own", async (service) => {
  const a = await runningStream(service, "Left");
  const own = [
    opensDisplay(a.display, await cookieOf(a))[0],
    connects(join(a.slot.pulseDir, "native")),
    connects(a.slot.busSocket),
    // not "video": its new reader takes the place of the encoder, which ends
    connects(join(picturesFolder(a.paths, a.display), "ask")),
    opensVnc(vncSocket(a.paths, a.id)),
    connects(hubSocket(a.paths, a.id)),
    ...opensPipe(browserPipes(a.paths, a.id).input),
    findsPort(socketsOf(usersOfProcess(service.processes(/front\.conf/)[0])[0])), // which has one, for everybody
    reads(a.slot.xauthority),
    writes(join(a.profile, "Local State")),
    ...[a.slot.folder, a.profile].flatMap((path) => [lists(path), creates(path)]),
    ...looksInto(await service.programPid(`encoder-${a.id}`), "its encoder").slice(0, 3),
  ];
  const refused = (await attempt(a.uid, own)).filter(({ got }) => !got);
  assert.deepEqual(refused, []);
});

needsRoot("what is asked of the ports is answered to whoever has the token or the key", async (service) => {
  const { id, paths } = await runningStream(service, "Left");
  const token = (await Deno.readTextFile(paths.tokensFile)).split("\n").find((line) =>
    line.endsWith(`/${id}/rfb`)
  )!;
  const key = hasLogin ? await Deno.readTextFile(paths.mediaKeyFile) : "";
  const outcomes = await attempt(NOBODY, [
    asksVncProxy(service.env.VNC_PROXY_PORT, token.split(":")[0], "the stream's token"),
    asksMedia(service.env.MEDIA_PORT, `/live/${id}/index.m3u8`, key.trim(), "the key"),
  ]);
  assert.deepEqual(outcomes.filter(({ got }) => !got), []);
});

needsRoot(
  "a display shares its pixels' memory with its browser and encoder, and no other program",
  async (service) => {
    const { id } = await runningStream(service, "Left");
    const memoryOf = (pid: number) => Deno.readLinkSync(`/proc/${pid}/ns/ipc`);
    const kinds = ["display", "browser", "encoder"];
    const [display, ...others] = await Promise.all(kinds.map((kind) => service.programPid(`${kind}-${id}`)));
    assert.notEqual(memoryOf(display), Deno.readLinkSync("/proc/self/ns/ipc"));
    assert.deepEqual(others.map(memoryOf), [memoryOf(display), memoryOf(display)]);
    assert.notEqual(memoryOf(service.pid), Deno.readLinkSync("/proc/self/ns/ipc"));
    const used = Deno.readTextFileSync(`/proc/${display}/maps`);
    assert.match(used, /SYSV00000000/, "the browser uses it");
  },
);

needsRoot("a stream's user gets nothing of another stream", async (service) => {
  const [a, b] = [await runningStream(service, "Left"), await runningStream(service, "Right")];
  await assertRefused(a.uid, [
    ...await thingsOf(service, b),
    ...opensDisplay(b.display, await cookieOf(a)), // its own key
    ...channel(a),
  ]);
});

needsRoot(
  "who takes a display whose X server has ended keeps no stream off the air, and sees nothing",
  async (service) => {
    const before = await runningStream(service, "Right");
    await using other = displayStranger(before.display, "abstract");
    Deno.kill(await service.programPid(`display-${before.id}`), "SIGKILL");
    await other.hasAll;
    await until("another number", async () => {
      const spec = JSON.parse(await Deno.readTextFile(join(before.paths.specsDir, `${before.id}.json`)));
      return spec.display !== before.display;
    });
    await service.untilState(before.id, "running");
    const { events } = await (await service.api("GET", `/api/streams/${before.id}/events`)).json();
    assert.ok(
      events.some(({ text }: { text: string }) =>
        /another user of this machine had taken its display/.test(text)
      ),
    );
    assert.equal(other.heard, "", "and nobody has said a word to the stranger");
  },
);

needsRoot("a stream's user gets nothing of the service", async (service) => {
  const a = await runningStream(service, "Left");
  await assertRefused(a.uid, [...thingsOfTheService(service, a), ...ports(service, a)]);
});

needsRoot("another user of the machine gets nothing of a stream or the service", async (service) => {
  const a = await runningStream(service, "Left");
  await assertRefused(NOBODY, [
    ...await thingsOf(service, a),
    ...thingsOfTheService(service, a),
    ...ports(service, a),
  ]);
});

needsRoot("the web app's user writes nothing that root runs, and gets into no stream", async (service) => {
  const a = await runningStream(service, "Left");
  const { uid } = await Deno.stat(a.paths.streamsDir);
  const { configDir, pythonDir, programsDir, profilesDir, slotsDir, logsDir, runDir, vncDir, hlsDir } =
    a.paths;
  const things = (await thingsOf(service, a)).filter(({ name }) =>
    // it reads what it shows to people, has a key of its own to cover displays with, and talks to the browser
    !/browser.log|index.m3u8|list .*\/live\/|read .*display-keys|open .*\/pipes\/|\/hubs\//.test(name)
  );
  await assertRefused(uid!, [
    ...things,
    ...[
      configDir,
      pythonDir,
      programsDir,
      profilesDir,
      slotsDir,
      logsDir,
      runDir,
      vncDir,
      join(hlsDir, "live"),
    ]
      .map(creates),
    lists(programsDir),
    ...["supervisord.conf", "nginx.conf", "openbox.xml", "bus.xml"].map((name) =>
      writes(join(configDir, name))
    ),
    writes(join(programsDir, `${a.id}.conf`)),
    ...looksInto(service.pid, "up"),
    ...looksInto(service.processes(/supervisord/)[0], "supervisord"),
  ]);
});

needsRoot(
  "the media server's and the VNC proxy's users get nothing of a stream but what they pass on",
  async (service) => {
    const a = await runningStream(service, "Left");
    const { paths } = a;
    const [media, proxy] = await Promise.all(
      [paths.mediaDir, paths.vncProxyDir].map((path) => Deno.stat(path)),
    );
    const things = await thingsOf(service, a);
    await assertRefused(media.uid!, things.filter(({ name }) => !name.includes("/live/")));
    await assertRefused(proxy.uid!, things.filter(({ name }) => !name.startsWith("VNC at")));
    assert.ok((await attempt(proxy.uid!, [opensVnc(vncSocket(paths, a.id))]))[0].got, "what it is for");
  },
);

needsRoot("the capture program's user gets nothing of a stream but its display", async (service) => {
  const a = await runningStream(service, "Left");
  const { uid } = await Deno.stat(a.paths.captureDir);
  const pictures = picturesFolder(a.paths, a.display);
  const its = (name: string) =>
    name.includes(pictures) || name.includes(`read ${captureKey(a.paths, a.display)}`);
  await assertRefused(uid!, [
    ...(await thingsOf(service, a)).filter(({ name }) => !its(name)),
    ...thingsOfTheService(service, a).filter(({ name }) => !/capture/.test(name)),
  ]);
  assert.ok((await attempt(uid!, [opensDisplay(a.display, await cookieOf(a))[0]]))[0].got, "what it is for");
});

needsRoot("no process that stays holds a file of root's open", async (service) => {
  const { id, paths } = await runningStream(service, "Left");
  const pids = [...service.processes(/ (serve|capture)$/), await service.programPid(`autoreload-${id}`)];
  // the web app has the pipes of browsers open, and the capture program the past that it writes
  const mayBeOwn = [paths.pipesDir, paths.rewindDir];
  const isRoots = (path: string) =>
    mayBeOwn.some((folder) => path.startsWith(folder)) ? Deno.lstatSync(path).uid === 0 : true;
  const isPath = (path: string) => path.startsWith("/") && path !== "/dev/null";
  for (const pid of pids) {
    const open = () => openFiles(pid).filter((path) => isPath(path) && isRoots(path));
    // the web app reads a helper's log now and then, and closes it
    await same(open, [], String(pid));
    const maps = Deno.readTextFileSync(`/proc/${pid}/maps`);
    assert.doesNotMatch(maps, /code_cache|analysis_cache/, String(pid));
  }
});

needsCgroups(
  "a page that takes more memory than its stream may is ended, and the others go on",
  async (service) => {
    const [a, b] = [await runningStream(service, "Left"), await runningStream(service, "Right")];
    const other = await service.programPid(`browser-${a.id}`);
    const cgroup = /^\d+:memory:(.*)$|^0::(.*)$/m;
    const browser = await service.programPid(`browser-${b.id}`);
    const group = Deno.readTextFileSync(`/proc/${browser}/cgroup`).match(cgroup)!.slice(1).find(Boolean)!;
    assert.ok(group.endsWith(`/${b.id}`), group);
    const mount = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"].find((path) => isFolder(path + group))! + group;
    const limit = ["memory.limit_in_bytes", "memory.max"].map((name) => join(mount, name)).find(isFile)!;
    const setLimit = async (memoryLimitMb: number) => {
      assert.equal((await service.api("PATCH", `/api/streams/${b.id}`, { memoryLimitMb })).status, 200);
      assert.equal(Number(Deno.readTextFileSync(limit)), memoryLimitMb * 1024 * 1024, "without a restart");
    };
    await setLimit(500);
    // as the page would, but surely: 700 MB in the stream's own group
    const eat =
      `echo $$ > ${mount}/cgroup.procs && exec setpriv --reuid=${b.uid} --clear-groups /usr/bin/python3 -c 'bytearray(700000000)'`;
    const eats = () => new Deno.Command("sh", { args: ["-c", eat] }).output();
    const { signal, code } = await eats();
    assert.ok(signal === "SIGKILL" || code === 137, `${signal} ${code}`);
    assert.equal(await service.programPid(`browser-${a.id}`), other);
    await setLimit(1500);
    assert.equal((await eats()).code, 0, "within the limit it gets what it asks for");
  },
);

needsRoot("what all streams share takes no more memory than a part of the machine's", async (service) => {
  await service.settled();
  const { total } = Deno.systemMemoryInfo();
  const [capture] = service.processes(/ capture$/);
  const [master] = service.processes(/^nginx: master .*nginx\.conf/);
  const workers = [...allProcesses()].filter(([, { parent }]) => parent === master).map(([pid]) => pid);
  const limitsOf = (pid: number) => Deno.readTextFileSync(`/proc/${pid}/limits`);
  assert.ok(workers.length > 0);
  for (const pid of [master, ...workers]) {
    assert.match(limitsOf(pid), new RegExp(`^Max data size +${Math.ceil(total / 4)} `, "m"));
  }
  const [, most] = /^Max data size +(\d+) /m.exec(limitsOf(capture))!;
  const GIBIBYTE = 1024 ** 3; // the runtime has a half of it when it begins
  assert.ok(Number(most) > total / 2 && Number(most) < total / 2 + GIBIBYTE, most);
});

needsCgroups("what captures pictures takes no more memory than a half of the machine's", async (service) => {
  await service.settled();
  const { total } = Deno.systemMemoryInfo();
  const [capture] = service.processes(/ capture$/);
  const group = Deno.readTextFileSync(`/proc/${capture}/cgroup`).match(/^\d+:memory:(.*)$|^0::(.*)$/m)!
    .slice(1).find(Boolean)!;
  assert.ok(group.endsWith("/capture:"), group);
  const folder = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"].map((path) => path + group).find(isFolder)!;
  assert.deepEqual(Deno.readTextFileSync(join(folder, "cgroup.procs")).trim().split("\n"), [String(capture)]);
  const limit = ["memory.limit_in_bytes", "memory.max"].map((name) => join(folder, name)).find(isFile)!;
  const mebibyte = 1024 ** 2;
  assert.equal(
    Number(Deno.readTextFileSync(limit)) / mebibyte,
    Math.ceil(total / 2 / mebibyte),
  );
});

needsRoot("a fork bomb stays within its stream's limit", async (service) => {
  const { id, uid } = await runningStream(service, "Left");
  const limitsOfBrowser = Deno.readTextFileSync(`/proc/${await service.programPid(`browser-${id}`)}/limits`);
  const most = /^Max processes\s+(\d+)/m.exec(limitsOfBrowser)![1];
  // the kernel counts threads as it counts processes, and these cost less
  const bomb = `import os, sys, threading, time
threading.stack_size(65536)
if os.fork() == 0: os._exit(0)
made = 0
try:
  while made < 3000:
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    made += 1
except RuntimeError: pass
try:
  os.fork()
except OSError as error:
  print("refused" if made > 1000 else made, flush=True)
  os._exit(0)
os._exit(1)`;
  const limits = [
    "prlimit",
    `--nproc=${most}`,
    "setpriv",
    `--reuid=${uid}`,
    `--regid=${uid}`,
    "--clear-groups",
  ];
  const { code, stdout } = await new Deno.Command(limits[0], {
    args: [...limits.slice(1), "--", "timeout", "20", "/usr/bin/python3", "-c", bomb],
  }).output();
  assert.deepEqual([code, new TextDecoder().decode(stdout)], [0, "refused\n"]);
  assert.equal((await service.api("GET", "/api/streams")).status, 200);
});

inSoak(needsRoot)(
  "a tried page is nobody's but its own user's, is kept in as a stream is, and leaves nothing",
  async (service) => {
    const other = await runningStream(service, "Left");
    const { profilesDir, logsDir, specsDir, programsDir } = other.paths;
    const profile = join(profilesDir, "try");
    const uid = () => isFolder(profile) ? Deno.statSync(profile).uid! : null;
    const processesOf = (owner: number) => [...processUsers()].filter(({ uids }) => uids.includes(owner));
    const flagOf = (pid: number, start: string) =>
      commandLine(pid).split(" --").find((word) => word.startsWith(start));
    const browserPid = (owner: number) =>
      processesOf(owner).map(({ pid }) => pid).find((pid) =>
        commandLine(pid).includes("--remote-debugging-pipe") && !commandLine(pid).includes("--type=")
      );
    const untilGone = (owner: number) =>
      until(
        "all of the tried page to be gone",
        () =>
          processesOf(owner).length === 0 && !isFolder(profile) && !isFolder(join(logsDir, "try")) &&
          !isFile(join(specsDir, "try.json")) && !isFile(join(programsDir, "try.conf")),
      );

    const answer = service.api("POST", "/api/streams/try", { url: `${service.pageUrl}login.html` });
    await until("its browser", () => uid() !== null && browserPid(uid()!) !== undefined);
    const owner = uid()!;
    assert.notEqual(owner, 0);
    assert.notEqual(owner, other.uid);
    const [own, streams] = [browserPid(owner)!, browserPid(other.uid)!];
    // of a command line the kernel shows 4096 characters; the other flags are made by the same function
    const rules = (pid: number) => flagOf(pid, "host-resolver-rules=")?.slice(0, 500);
    await until("its rules for names", () => rules(own)?.includes("~NOTFOUND"));
    assert.equal(rules(own), rules(streams));
    const groupOf = (pid: number) => Deno.readTextFileSync(`/proc/${pid}/cgroup`);
    assert.equal(groupOf(own).replace(/\/try$/m, `/${other.id}`), groupOf(streams), "its memory is limited");
    const tried = await (await answer).json();
    assert.deepEqual([tried.status, tried.login, tried.problem], [200, "form", null]);
    assert.equal(tried.title, "login");
    const [picture] = await frames(`data:image/jpeg;base64,${tried.picture}`, 640, 360, 1);
    assert.ok(new Set(picture.data).size > 10, "the picture shows text and fields");
    await untilGone(owner);

    const left = new AbortController();
    const { AUTH_USER, AUTH_PASS } = service.env;
    const cookie = AUTH_PASS ? await logIn(service.url, AUTH_USER, AUTH_PASS) : "";
    const given = fetch(`${service.url}/api/streams/try`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify({ url: service.pageUrl }),
      signal: left.signal,
    }).then((response) => response.body?.cancel(), () => {});
    await until("the next one", () => uid() !== null && browserPid(uid()!) !== undefined);
    const next = uid()!;
    left.abort();
    await given;
    await untilGone(next);
    await service.untilState(other.id, "running");
  },
);

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Something that a user runs, in Python, until it is told to end; says first that it has begun. */
async function stranger(code: string, args: string[], uid = NOBODY) {
  const child = new Deno.Command("setpriv", {
    args: [
      ...[`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--pdeathsig=KILL", "--"],
      ...["/usr/bin/python3", "-c", code, ...args],
    ],
    cwd: "/",
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const said = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const read = async (isEnough: () => boolean) => {
    while (!isEnough()) {
      const { value, done } = await said.read();
      if (done) return;
      text += value;
    }
  };
  await read(() => text.includes("\n"));
  assert.match(text, /^begun\n/);
  return {
    /** What it says last. */
    async end(): Promise<string> {
      await child.stdin.close();
      await read(() => false);
      await child.status;
      return text.replace("begun", "").trim();
    },
  };
}

/** What all streams share, and listens: how their command lines end. */
const SHARED = [/master process .*front\.conf$/, /master process .*nginx\.conf$/, /websockify/] as const;

function sharedPid(service: TestService, command: RegExp): number | undefined {
  return service.processes(command)[0];
}

const TAKES_PORTS = String.raw`
import select, socket, sys
V4, V6 = (socket.AF_INET, ["127.0.0.1", "0.0.0.0"]), (socket.AF_INET6, ["::1", "::"])
got = []
print("begun", flush=True)
while not select.select([sys.stdin], [], [], 0.001)[0]: # a program's start takes much longer
    for port in map(int, sys.argv[1:]):
        for family, hosts in (V4, V6):
            for host in hosts:
                one = socket.socket(family)
                for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
                    one.setsockopt(socket.SOL_SOCKET, option, 1)
                try:
                    one.bind((host, port))
                    one.listen()
                    got.append(port)
                except OSError:
                    pass
                one.close()
print(*sorted(set(got)), flush=True)
`;

needsRoot(
  "nobody gets a port of ours, also while the program that answers there is killed",
  async (service) => {
    const { id, paths } = await runningStream(service, "Left");
    const { PORT, MEDIA_PORT, RTMP_PORT, VNC_PROXY_PORT } = service.env;
    const ports = [PORT, MEDIA_PORT, RTMP_PORT, VNC_PROXY_PORT];
    using others = reserveSlot();
    const [free] = others.ports;
    const taker = await stranger(TAKES_PORTS, [...ports, String(free)]);
    for (const program of SHARED) {
      const before = sharedPid(service, program)!;
      Deno.kill(before, "SIGKILL");
      await same(() => ![undefined, before].includes(sharedPid(service, program)), true, String(program));
    }
    assert.equal(await taker.end(), `${free}`, "what nobody has, it gets");
    for (const port of ports) assert.ok(await isListeningAs(0, "127.0.0.1", Number(port)), port);
    await same(() => isHealthy(service.url), true);
    // the encoder has found the media server's successor: no later test sees it end for that
    const playlist = () => readOrNull(join(paths.hlsDir, "live", id, "index.m3u8"));
    const before = await playlist();
    await until("the channel to go on", async () => ![null, before].includes(await playlist()));
  },
);

/** Python that connects to the RTMP port of its first argument. */
const RTMP_PEER = String.raw`
import os, socket, struct, sys, time
def connect(): # the media server of a test before may be about to be back
    for again in range(200):
        try: return socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
        except ConnectionRefusedError: time.sleep(0.1)
peer = connect()
peer.sendall(b"\x03" + bytes(8) + os.urandom(1528))
answer = b""
while len(answer) < 3073: answer += peer.recv(4096)
peer.sendall(answer[1:1537])
`;

const NESTS = String.raw`${RTMP_PEER}
body = b"\x02\x00\x07connect\x00" + struct.pack(">d", 1) + b"\x03\x00\x01a" * 200000
message = b"\x03\x00\x00\x00" + struct.pack(">I", len(body))[1:] + b"\x14\x00\x00\x00\x00"
message += b"\xc3".join(body[at:at + 128] for at in range(0, len(body), 128))
try:
    peer.sendall(message)
    while peer.recv(4096): pass
except OSError:
    pass
print("begun", flush=True)
`;

needsRoot("800 kB of objects in objects at the RTMP port end no channel", async (service) => {
  const a = await runningStream(service, "Left");
  const workers = () => {
    const media = sharedPid(service, SHARED[1]);
    return [...allProcesses()].filter(([, { parent }]) => parent === media).map(([pid]) => pid);
  };
  const before = [workers(), await service.programPid(`encoder-${a.id}`)];
  await (await stranger(NESTS, [service.env.RTMP_PORT], a.uid)).end(); // who may reach it
  assert.deepEqual([workers(), await service.programPid(`encoder-${a.id}`)], before);
});

const STREAMS = String.raw`${RTMP_PEER}
# the beginning of a long message on one chunk stream, and then a question on the usual one
begun = bytes([int(sys.argv[2])]) + bytes(3) + struct.pack(">I", 1000000)[1:] + b"\x14" + bytes(4) + bytes(128)
body = b"\x02\x00\x07connect\x00" + struct.pack(">d", 1)
body += b"\x03\x00\x03app\x02" + struct.pack(">H", len(sys.argv[3])) + sys.argv[3].encode() + b"\x00\x00\x09"
asked = b"\x03" + bytes(3) + struct.pack(">I", len(body))[1:] + b"\x14" + bytes(4) + body
print("begun", flush=True)
try:
    peer.sendall(begun + asked)
    print("answered" if peer.recv(4096) else "closed")
except OSError:
    print("closed")
`;

needsRoot("an encoder's connection holds 16 unfinished messages at most", async (service) => {
  const { uid } = await runningStream(service, "Left"); // who may reach it
  const ask = async (chunkStream: number) => {
    const args = [service.env.RTMP_PORT, String(chunkStream), applicationOf(TARGETS[0])];
    return await (await stranger(STREAMS, args, uid)).end();
  };
  assert.deepEqual([await ask(15), await ask(16), await ask(63)], ["answered", "closed", "closed"]);
});

needsRoot(
  "what a start has promised is put back and told when it goes, and nothing starts where it cannot be",
  async (service) => {
    const { id, uid, paths } = await runningStream(service, "Left");
    const config = parseConfig(service.env);
    const table = filterTable(config);
    const policies = policyFile(config.CHROMIUM_POLICY_DIR, instanceName(config));
    const record = join(RECORDS_FOLDER, String(uid));
    const limits = await MemoryGroups.find(instanceName(config));
    const nft = (...args: string[]) => run(["/usr/sbin/nft", ...args], { timeoutMs: 5000 });
    const rules = async () => (await nft("list", "table", "inet", table)).stdout;
    const there = async () => ({
      rules: (await rules()).includes(`${uid} : jump user${uid}`),
      policies: await readOrNull(policies).catch(() => null) !== null,
      record: await readOrNull(record) !== null,
      extension: await readOrNull(join(paths.withoutWebRtcDir, "rules.json")) !== null,
      folder: (Deno.lstatSync(paths.displayKeysDir).mode! & 0o7777).toString(8),
    });
    const whole = { rules: true, policies: true, record: true, extension: true, folder: "710" };
    assert.deepEqual(await there(), whole, "a start makes it, no repair");
    const before = await rules();
    await nft("delete", "table", "inet", table);
    await Deno.remove(policies);
    await Deno.remove(record);
    await Deno.remove(join(paths.withoutWebRtcDir, "rules.json"));
    await Deno.chmod(paths.displayKeysDir, 0o777);
    await limits?.limit(id, 9000);
    await same(there, whole);
    await same(rules, before);
    const told = async () =>
      (await (await service.api("GET", `/api/streams/${id}/events`)).json()).events
        .map(({ text }: { text: string }) => text).join("\n");
    const names = Object.keys(GUARDED).filter((name) => limits !== null || name !== "memory-limits");
    const untold = async () => {
      const text = await told();
      return names.filter((name) => !text.includes(`${GUARDED[name as GuardName]} had been changed`));
    };
    await same(untold, []);

    // a place where no policies can be
    await Deno.remove(config.CHROMIUM_POLICY_DIR, { recursive: true });
    await Deno.writeTextFile(config.CHROMIUM_POLICY_DIR, "");
    const answer = await service.api("POST", "/api/streams/try", { url: service.pageUrl });
    const problem = await answer.text();
    await using refused = await service.temporaryStream({
      name: "Refused",
      url: service.pageUrl,
      ...SMALLEST,
    });
    await same(async () => (await service.status(refused.id)).state, "failed");
    const { reason } = await service.status(refused.id);
    await Deno.remove(config.CHROMIUM_POLICY_DIR);
    assert.deepEqual(
      [answer.ok, problem.includes(GUARDED.policies), reason?.includes(GUARDED.policies)],
      [false, true, true],
      `${problem} ${reason}`,
    );
    await service.untilState(refused.id, "running");
    await service.untilState(id, "running");
  },
);

const HALF_REQUESTS = String.raw`
import resource, select, socket, sys
most = min(4500, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
peers = []
def ask(at):
    one = socket.socket()
    one.settimeout(5)
    one.bind(("127.0.0.%d" % (1 + at % 200), 0))
    one.connect(("127.0.0.1", int(sys.argv[1])))
    one.sendall(b"GET /live/x HTTP/1.1\r\nHost: x\r\n")
    peers.append(one)
for at in range(most - 100):
    try: ask(at)
    except OSError: pass
print("begun", flush=True)
sys.stdin.read()
print(len(peers), flush=True)
`;

inSoak(needsRoot)(
  "4,400 half requests at the media server's port keep no viewer and no encoder away",
  async (service) => {
    const a = await runningStream(service, "Left");
    const asker = await stranger(HALF_REQUESTS, [service.env.MEDIA_PORT]);
    const playlist = async () => {
      const answer = await service.api("GET", `/api/hls/live/${a.id}/index.m3u8`);
      return answer.status;
    };
    await same(playlist, 200);
    const media = sharedPid(service, SHARED[1]);
    assert.equal((await service.api("POST", `/api/streams/${a.id}/restart`)).status, 200);
    await service.untilState(a.id, "running");
    await same(playlist, 200);
    assert.equal(sharedPid(service, SHARED[1]), media, "it was not taken for dead");
    assert.ok(Number(await asker.end()) > 1000);
  },
);
