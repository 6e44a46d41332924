/**
 * Each mechanism that brings a picture back, once, with real programs: killed or stopped, while a stream that is not hit goes
 * on. Two streams at once are hit in soak. That each program is back each way is tests/app/faults_test.ts's; how soon, on real
 * machines, tests/soak/day_test.ts's.
 */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { PIPELINE_PROGRAMS } from "../../lib/model/programs.ts";
import { askPrograms } from "../../lib/machine/supervisor/status.ts";
import { writeAll } from "../../lib/machine/tools/write_all.ts";
import { untilPageShown } from "../support/channel.ts";
import {
  assertUntouched,
  describeFault,
  type Fault,
  hit,
  listedSequence,
  PlaylistWatch,
  programPids,
} from "../support/faults.ts";
import { cpuSeconds, startOf } from "../support/proc.ts";
import { same, until } from "../support/same.ts";
import { isHealthy, sharedService, SMALL, type TestService } from "../support/service.ts";
import { inSoak } from "../support/soak.ts";
import { pause } from "../support/within.ts";
import { tellTime } from "../support/times.ts";
import { SupervisorConnection } from "../support/supervisor_connection.ts";

/** No test looks at details of the picture. */
const serviceTest = sharedService({ streams: { ...SMALL, resolution: "640x360", scale: "320x180" } });

/** A stream that is hit, and one that is not; a second one to hit ("": none) where a test wants two at once. */
async function streams(service: TestService, hitsTwo = false) {
  const whole = { autoReload: true, autoReloadInterval: 600 };
  const [ash, cedar, birch] = await Promise.all([
    service.sharedStream({ name: "Ash", ...whole }),
    service.sharedStream({ name: "Cedar", audio: false }), // its pictures show that it goes on
    ...(hitsTwo ? [service.sharedStream({ name: "Birch", ...whole })] : []),
  ]);
  await service.settled();
  return { ash: ash.id, cedar: cedar.id, birch: birch?.id ?? "" };
}

type What = Fault["what"];
type Short = [signal: "kill" | "stop", what: What];

/** Does things to the first stream, to the second, and to what they share; all at once. */
async function round(service: TestService, first: Short[], second: Short[] = [], shared: Short[] = []) {
  const { ash, cedar, birch } = await streams(service, second.length > 0);
  const watched = [ash, cedar, birch].filter(Boolean);
  const faults = [[ash, first] as const, [birch, second] as const, ["", shared] as const].flatMap((
    [stream, list],
  ) =>
    list.map(([signal, what]): Fault => ({ stream, what, signal: signal === "kill" ? "SIGKILL" : "SIGSTOP" }))
  );
  const before = await programPids(service);
  await using watch = new PlaylistWatch(service, watched);
  const tookMs = await hit(service, faults, watched);
  tellTime(faults.map(describeFault).join(", "), tookMs / 1000);
  assert.deepEqual(watch.problems, []);
  const hitsAll = (what: What) => what.startsWith("media") || what === "capture";
  if (!faults.some(({ what }) => hitsAll(what) || isSupervisordKill(what, faults))) {
    await assertUntouched(service, before, [cedar]);
  }
  return { ash, broken: watch.broken };
}

function isSupervisordKill(what: What, faults: Fault[]): boolean {
  return what === "supervisord" && faults.some((fault) => fault.what === what && fault.signal === "SIGKILL");
}

/** The newest events' texts of a stream. */
async function eventsOf(service: TestService, id: string): Promise<string> {
  return await (await service.api("GET", `/api/streams/${id}/events`)).text();
}

serviceTest(
  "an encoder is killed, a display stopped: the break is marked, and the events say why",
  async (service) => {
    const { ash, broken } = await round(service, [["kill", "encoder"]]);
    assert.ok(broken.has(ash), "no EXT-X-DISCONTINUITY");
    await same(() => eventsOf(service, ash), /The encoder was restarted: /);
    await round(service, [["stop", "display"]]);
    await same(() => eventsOf(service, ash), /The display was restarted: it was stopped \(SIGSTOP\)\./);
  },
);

serviceTest("the front door is stopped, and supervisord: no stream restarts", async (service) => {
  const { ash, cedar } = await streams(service);
  const before = await programPids(service);
  await round(service, [], [], [["stop", "front"], ["stop", "supervisord"]]);
  await assertUntouched(service, before, [ash, cedar]);
});

serviceTest("the media server is killed: no worker of it is left, and the numbers go on", async (service) => {
  await streams(service);
  const workers = () => service.processes(/nginx: worker/).length;
  const before = workers();
  await round(service, [], [], [["kill", "media"]]);
  await same(workers, before);
});

serviceTest(
  "the media server's worker is stopped, the front door's, and the capture program",
  async (service) => {
    await round(service, [], [], [["stop", "media worker"], ["stop", "front worker"], ["stop", "capture"]]);
  },
);

serviceTest("an encoder that starts after its list was cleaned away goes on behind it", async (service) => {
  const { ash } = await streams(service);
  const before = listedSequence(service, ash);
  await using watch = new PlaylistWatch(service, [ash]);
  const pid = (await programPids(service)).get(`encoder-${ash}`)!;
  Deno.kill(pid, "SIGKILL");
  // as the media server's cleaner does, between the encoder's look and its first word
  const list = join(service.runDir, "hls/live", ash, "index.m3u8");
  await until("a new encoder", async () => {
    await Deno.remove(list).catch(() => {});
    return ((await programPids(service)).get(`encoder-${ash}`) ?? pid) !== pid;
  });
  await untilPageShown(service, ash, before);
  assert.deepEqual(watch.problems, []);
});

serviceTest(
  "supervisord is killed: everything comes back by itself, and nothing is left of before",
  async (service) => {
    await streams(service);
    const before = [...(await programPids(service)).values()].map((pid) => ({ pid, since: startOf(pid) }));
    await round(service, [], [], [["kill", "supervisord"]]);
    // the number of one that has ended may be another's
    const left = () =>
      before.filter(({ pid, since }) => since !== null && startOf(pid) === since).map(({ pid }) => pid);
    await same(left, [], "orphans are left");
  },
);

inSoak(serviceTest)(
  "a port that another program takes while supervisord is away: the log says who, and all is back when it is free",
  async (service) => {
    const { ash } = await streams(service);
    const before = await untilPageShown(service, ash, 0);
    const place = { hostname: "127.0.0.1", port: Number(service.env.VNC_PROXY_PORT) };
    Deno.kill(service.processes(/supervisord -n/)[0], "SIGKILL");
    const taken = await until("the port", () => {
      try {
        return Deno.listen(place);
      } catch {
        return null;
      }
    });
    try {
      const told = new RegExp(`Port ${place.port} is taken by deno.* \\(pid ${Deno.pid}\\)`);
      await same(() => told.test(service.output()), true);
    } finally {
      taken.close();
    }
    await until("the service to answer", () => isHealthy(service.url));
    await untilPageShown(service, ash, before);
  },
);

serviceTest("supervisord's short answer says of each program what its own long one says", async (service) => {
  const { ash, cedar } = await streams(service);
  using supervisor = await SupervisorConnection.open(supervisorSocket(service));
  const all = (await supervisor.ask("getAllProcessInfo")).split("</struct>").slice(0, -1).map((text) => {
    const value = (name: string) => new RegExp(`<name>${name}</name>\\s*<value><\\w+>(.*?)</`).exec(text)![1];
    return ["name", "group", "statename", "pid", "start", "stop", "spawnerr"].map(value).join(" ");
  });
  const asked = (await askPrograms(supervisorSocket(service))).map((
    { name, group, state, pid, start, stop, problem },
  ) => [name, group, state, pid, start, stop, problem].join(" "));
  for (const name of [ash, cedar].flatMap((id) => PIPELINE_PROGRAMS.map((kind) => `${kind}-${id}`))) {
    assert.ok(all.some((one) => one.startsWith(`${name} `)), name);
  }
  assert.deepEqual(asked.sort(), all.sort());
});

function supervisorSocket({ runDir }: TestService): string {
  return join(runDir, "supervisor/supervisor.sock");
}

/** All that supervisord says to a client that reads nothing before it has sent everything. */
async function answersTo(service: TestService, text: string): Promise<string> {
  using connection = await Deno.connect({ transport: "unix", path: supervisorSocket(service) });
  await writeAll(connection, new TextEncoder().encode(text)).catch(() => {}); // it may be closed meanwhile
  const bytes = new Uint8Array(65_536);
  const read = () => connection.read(bytes).catch(() => null);
  let said = "";
  for (let count = await read(); count !== null; count = await read()) {
    said += new TextDecoder().decode(bytes.subarray(0, count));
  }
  return said;
}

/** What nobody of ours asks supervisord for. */
const UNUSED: [method: string, ...parameters: string[]][] = [
  ...["shutdown", "restart", "clearLog", "stopAllProcesses", "startAllProcesses", "clearAllProcessLogs"].map((
    method,
  ): [string] => [method]),
  ["readLog", "0", "100"],
  ["clearProcessLogs", "web"],
  ["sendProcessStdin", "web", "x"],
  ["signalAllProcesses", "KILL"],
  ["signalProcess", "front", "WINCH"],
  ["signalProcessGroup", "front", "STOP"],
];

const SHARED_PROGRAMS = ["media", "vnc-proxy", "capture", "front", "web"];

serviceTest(
  "whoever has the supervisor's socket stops and removes nothing for good, and has none of its pages",
  async (service) => {
    const [media] = service.processes(/^nginx: master .*nginx\.conf/);
    for (const path of ["/index.html?action=stopall", "/?action=stopall", "/logtail/web", "/mainlogtail"]) {
      assert.doesNotMatch(
        await answersTo(service, `GET ${path} HTTP/1.0\r\n\r\n`),
        /action=|INFO|spawned/,
        path,
      );
    }
    using supervisor = await SupervisorConnection.open(supervisorSocket(service));
    const isRefused = async (method: string, ...parameters: string[]) =>
      /UNKNOWN_METHOD/.test(await supervisor.ask(method, ...parameters));
    for (const call of UNUSED) assert.ok(await isRefused(...call), call.join(" "));
    assert.match(await supervisor.ask("stopProcess", "vnc-proxy"), /<boolean>1</);
    for (const name of SHARED_PROGRAMS) {
      assert.ok(await isRefused("removeProcessGroup", name), name);
      assert.ok(await isRefused("addProcessGroup", name), name);
    }
    // one of a stream's own is back after half a minute (tests/unit/live/programs/faults_test.ts)
    await same(async () => {
      const programs = await askPrograms(supervisorSocket(service));
      return programs.find(({ name }) => name === "vnc-proxy")?.state;
    }, "RUNNING");
    assert.deepEqual(service.processes(/^nginx: master .*nginx\.conf/), [media]);
  },
);

serviceTest("supervisord holds little of what a client sends, or does not take", async (service) => {
  const call = (version: string, length = 0) => {
    const body = "<methodCall><methodName>supervisor.getAllProcessInfo</methodName></methodCall>" +
      " ".repeat(length);
    return `POST /RPC2 HTTP/${version}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  assert.match(await answersTo(service, call("1.0", 6_000)), /^HTTP\S+ 200 .*vnc-proxy/s);
  assert.match(await answersTo(service, call("1.0", 10_000)), /^(HTTP\S+ 400 .*)?$/s, "a long body");
  assert.equal(
    await answersTo(service, `GET / HTTP/1.0\r\nX: ${"x".repeat(100_000)}\r\n\r\n`),
    "",
    "a long head",
  );
  const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
  const chunked = "POST /RPC2 HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk.repeat(4);
  assert.match(await answersTo(service, chunked), /^(HTTP\S+ 400 .*)?$/s);
  const many = await answersTo(service, call("1.1").repeat(500) + call("1.0"));
  assert.ok(many.split("</methodResponse>").length < 50, "answers that nobody takes");
});

// Debian's supervisord goes on asking for a closed connection's number when a log gets it, and a file can always be read
serviceTest("supervisord rests after connections that close while a log is opened anew", async (service) => {
  await streams(service);
  const [pid] = service.processes(/supervisord -n/);
  const open = () => SupervisorConnection.open(supervisorSocket(service));
  const leaving = await Promise.all(Array.from({ length: 8 }, open));
  using last = await open();
  for (const connection of [...leaving, last, leaving[0]]) {
    await connection.send("getVersion");
    await connection.answer();
  }
  Deno.kill(pid, "SIGSTOP");
  for (const connection of leaving) connection[Symbol.dispose]();
  await last.send("getVersion");
  Deno.kill(pid, "SIGUSR2"); // the logs are opened anew
  Deno.kill(pid, "SIGCONT");
  await last.answer();
  const before = cpuSeconds(pid);
  await pause(1000);
  const spent = cpuSeconds(pid) - before;
  assert.ok(spent < 0.2, `supervisord took ${spent} s of a second`);
});
