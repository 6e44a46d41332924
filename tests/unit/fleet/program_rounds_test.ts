import assert from "node:assert/strict";
import { PlaylistAge } from "../../../lib/channel/playlist_age.ts";
import type { Repair } from "../../../lib/machine/broker/repairs.ts";
import { ProgramRounds } from "../../../lib/fleet/program_rounds.ts";
import type { LiveStream } from "../../../lib/live/live_stream.ts";
import { ProgramKeeper } from "../../../lib/live/programs/keeper.ts";
import type { BrowserControl } from "../../../lib/browser/client.ts";
import { RepairNews } from "../../../lib/live/programs/repair_news.ts";
import { SharedPrograms } from "../../../lib/live/programs/shared_programs.ts";
import type { Question } from "../../../lib/machine/tools/probe.ts";
import { channelDir, playlistFile, playlistTime } from "../../../lib/channel/media/hls.ts";
import { streamId } from "../../../lib/model/id.ts";
import { PIPELINE_PROGRAMS, type ProgramKind } from "../../../lib/model/programs.ts";
import type { Program } from "../../../lib/machine/supervisor/status.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { aGround, aKeptStream } from "../../support/ground.ts";
import { aProgram, tempDir } from "../../support/fixture.ts";

setLogLevel("error");

const id = streamId("clock");
/** Unix seconds of the first round; the stream was started 100 s before. */
const START = 1000;

/** One running stream with the rounds over its programs, at a time that the test sets. */
async function watched(test: (ward: Awaited<ReturnType<typeof makeWard>>) => Promise<void>, env = {}) {
  await using dir = await tempDir();
  await test(await makeWard(dir.path, env));
}

async function makeWard(hlsDir: string, env: Record<string, string>) {
  const names = [
    ...PIPELINE_PROGRAMS.map((kind) => `${kind}-clock`),
    "media",
    "vnc-proxy",
    "front",
    "capture",
  ];
  const programs = new Map<string, Program>(
    names.map((name, at) => [name, aProgram(name, { pid: 10 + at })]),
  );
  const commands: string[] = [];
  const repairs: Repair[] = [];
  let seconds = START, lastPid = 100;
  const silent = new Set<string>();
  const given = { obeys: true };
  const time = () => seconds * 1000;
  const age = new PlaylistAge(() => playlistTime(hlsDir, id), { now: time, elapsed: time });
  const world = aGround({ env });
  const { ground, machine, clock, people } = world;
  clock.now = (START - 100) * 1000;
  const live = aKeptStream(world, { memoryLimitMb: 1000 });
  Object.defineProperty(live.channel, "ageMs", { get: () => age.ms });
  /** A program that died has another pid. */
  const replace = (name: string) => {
    programs.set(name, aProgram(name, { pid: ++lastPid, start: seconds }));
  };
  const done = (what: string, kinds: readonly ProgramKind[], isReplaced = true) => {
    commands.push(`${what} ${kinds}`);
    live.work.operations++;
    if (isReplaced) { for (const kind of kinds) replace(`${kind}-clock`); }
    return Promise.resolve();
  };
  Object.assign(live.work, {
    restartPrograms: (kinds: ProgramKind[]) => done("restart", kinds),
    command: (how: string, kinds: ProgramKind[]) =>
      done(how, kinds, how === "kill" || how === "end" && given.obeys),
    restartAll: () => done("restart all", []),
    recreate: () => done("recreate", []),
    problem: null,
  });
  const answers = (name: string) => Promise.resolve(!silent.has(name));
  machine.browsers.of = () => ({ answers: () => answers("browser") }) as unknown as BrowserControl;
  machine.broker.hasSound = () => answers("audio");
  machine.answers = ({ address }) => answers((address as Deno.UnixConnectOptions).path);
  const keeper = new ProgramKeeper(live, ground);
  await Deno.mkdir(channelDir(hlsDir, id), { recursive: true });
  const list = playlistFile(hlsDir, id);
  await Deno.writeTextFile(list, "#EXTINF:1,\n1.ts\n".repeat(20));
  const news = new RepairNews(
    (after) => Promise.resolve(repairs.filter(({ number }) => number > after)),
    machine.elapsed,
  );
  const { restarts } = ground.supervision;
  const shared = new SharedPrograms({
    questions: { media: [question("media")], "vnc-proxy": [], capture: [question("capture")], front: [] },
    answers: machine.answers,
    kill: (name) => {
      commands.push(`kill ${name}`);
      if (silent.has(name)) return Promise.resolve();
      replace(name);
      if (name === "media") replace("encoder-clock");
      return Promise.resolve();
    },
    news,
    tell: (text) => live.tell("program", text, "warn"),
    countRestart: (program, cause) => restarts.count(program, cause),
    limits: ground.config.TIMINGS,
    elapsed: machine.elapsed,
  });
  machine.programs = () => Promise.resolve([...programs.values()]);
  const soundServers = new Set<number>();
  const page = { soundServerIs: (pid: number) => void soundServers.add(pid) };
  const one = Object.assign(live, { programs: keeper, page });
  const rounds = new ProgramRounds(ground, { list: () => [one as unknown as LiveStream] }, shared, news);
  let isFresh = true;
  const counts = new Map<string, number>();
  return {
    keeper,
    given,
    silent,
    live,
    people,
    programs,
    soundServers,
    /** What was done, and told; emptied by reading. */
    commands: () => commands.splice(0),
    events: () => world.events().map((text) => text.replace(/^clock \w+ /, "")),
    counted: () =>
      [...restarts.byProgram()].flatMap(({ program, cause, count }) => {
        const name = `${program} ${cause}`;
        const more = count - (counts.get(name) ?? 0);
        counts.set(name, count);
        return Array<string>(more).fill(name);
      }),
    picture: (comes: boolean) => isFresh = comes,
    repaired: (repair: Omit<Repair, "number" | "ageMs">) =>
      repairs.push({ ...repair, number: repairs.length + 1, ageMs: 0 }),
    replace,
    async rounds(count: number, each: () => void = () => {}) {
      for (let round = 0; round < count; round++) {
        clock.now = ++seconds * 1000;
        if (isFresh) await Deno.utime(list, seconds - 1, seconds - 1);
        for (const program of programs.values()) program.now = seconds;
        each();
        await rounds.round();
        await keeper.settled();
        await shared.settled();
      }
    },
  };
}

function question(path: string): Question {
  return { address: { transport: "unix", path }, bytes: new Uint8Array(0) };
}

Deno.test("the page is told of each sound server, which begins without being muted", () =>
  watched(async ({ replace, rounds, programs, soundServers }) => {
    const pid = () => programs.get("audio-clock")!.pid;
    const wanted = [pid()];
    await rounds(2);
    replace("audio-clock");
    await rounds(2);
    assert.deepEqual([...soundServers], [...wanted, pid()]);
  }));

Deno.test("what supervisord restarted by itself is told, with what it brought along", () =>
  watched(async ({ replace, rounds, events, commands, counted }) => {
    await rounds(3);
    assert.deepEqual([events(), counted()], [[], []]);
    replace("display-clock");
    replace("browser-clock");
    await rounds(1);
    assert.deepEqual(events().slice(0, 2), [
      "warn: The display was restarted: it had ended.",
      "warn: The browser was restarted: the display had just been started again.",
    ]);
    await rounds(1);
    assert.ok(commands().includes("end encoder"));
    assert.deepEqual(counted(), ["display ended", "browser dependency", "encoder dependency"]);
  }));

Deno.test("what hangs on a program that was restarted is asked to end, and restarted if it does not", () =>
  watched(async ({ given, replace, rounds, events, commands, counted }) => {
    given.obeys = false;
    await rounds(3);
    replace("audio-clock");
    await rounds(3);
    assert.deepEqual(commands(), ["end browser,encoder", "restart browser,encoder"]);
    assert.equal(events().filter((text) => text.includes("The browser and the encoder were")).length, 1);
    assert.deepEqual(counted().sort(), ["audio ended", "browser dependency", "encoder dependency"]);
  }));

Deno.test("what `up` ended is told with its reason, once", () =>
  watched(async ({ replace, repaired, rounds, events, counted }) => {
    await rounds(1);
    repaired({ program: "encoder-clock", isPart: false, reason: "stopped" });
    repaired({ program: "browser-clock", isPart: true, reason: "stopped" });
    replace("encoder-clock");
    await rounds(1);
    assert.deepEqual(events(), [
      "warn: A process of the browser was ended: it was stopped (SIGSTOP).",
      "warn: The encoder was restarted: it was stopped (SIGSTOP).",
    ]);
    await rounds(3);
    assert.deepEqual([events(), counted()], [[], ["encoder hung"]]);
  }));

Deno.test("a shared program's restart is told", () =>
  watched(async ({ replace, repaired, rounds, events, counted }) => {
    await rounds(1);
    repaired({ program: "media", isPart: false, reason: "stopped" });
    repaired({ program: "web", isPart: false, reason: "silent" });
    repaired({ program: "supervisord", isPart: true, reason: "stopped" });
    replace("media");
    await rounds(1);
    assert.deepEqual(events(), [
      "warn: The web app was restarted: it did not answer.",
      "warn: The supervisor of all programs was stopped (SIGSTOP), and was continued.",
      "warn: The media server was restarted: it was stopped (SIGSTOP).",
    ]);
    assert.deepEqual(counted(), ["media hung"]);
  }));

Deno.test("a browser that answers no more is killed; the next one is asked before it is blamed", () =>
  watched(async ({ silent, rounds, commands, events, counted }) => {
    await rounds(30);
    silent.add("browser");
    let second = 0;
    await rounds(35, () => {
      second++;
      if (second > 31) silent.delete("browser");
    });
    assert.deepEqual(commands(), ["kill browser"]);
    assert.deepEqual(events(), ["warn: The browser was restarted: it did not answer."]);
    assert.deepEqual(counted(), ["browser hung"]);
    await rounds(30);
    assert.deepEqual([commands(), events()], [[], []]);
  }));

/** What is killed with the display. */
const DISPLAY: ProgramKind[] = ["display", "wm", "browser", "encoder"];

Deno.test("no picture: the encoder, then the media server since no stream has one, then the display", () =>
  watched(async ({ picture, rounds, commands, counted }) => {
    await rounds(2);
    picture(false);
    await rounds(14);
    assert.deepEqual(commands(), ["kill encoder"]);
    await rounds(12);
    assert.deepEqual(commands(), ["kill media"]);
    assert.deepEqual(counted(), ["encoder starved", "media starved"]);
    await rounds(14);
    assert.deepEqual(commands(), ["kill display,wm,browser,encoder"]);
    await rounds(14);
    assert.deepEqual(commands(), ["restart all "]);
    const all = [...DISPLAY, ...PIPELINE_PROGRAMS].map((kind) => `${kind} starved`);
    assert.deepEqual(
      counted().filter((one) => one.endsWith("starved")).sort(),
      all.sort(),
    );
  }));

Deno.test("the media server that answers no more is killed, with growing pauses", () =>
  watched(async ({ silent, rounds, commands }) => {
    await rounds(10);
    silent.add("media");
    const at: number[] = [];
    let second = 0;
    await rounds(120, () => {
      second++;
      if (commands().includes("kill media")) at.push(second);
    });
    const pauses = at.slice(1).map((one, index) => one - at[index]);
    assert.ok(at[0] > 20 && at[0] <= 31, `first after ${at[0]} s`);
    // it is asked every 10 s
    assert.deepEqual(pauses.slice(0, 4), [10, 10, 20, 40]);
  }));

Deno.test("the capture program that answers no more is killed, and that is told", () =>
  watched(async ({ silent, rounds, commands, events }) => {
    await rounds(10);
    silent.add("capture");
    let second = 0, killedAt = 0;
    await rounds(60, () => {
      second++;
      if (killedAt === 0 && commands().includes("kill capture")) {
        killedAt = second;
        silent.delete("capture");
      }
    });
    assert.ok(killedAt > 20 && killedAt <= 31, `after ${killedAt} s`);
    assert.deepEqual(commands(), []);
    silent.clear();
    await rounds(2);
    assert.deepEqual(events(), []);
  }));

Deno.test("a program that dies again and again is left down, and that is said", () =>
  watched(async ({ keeper, replace, rounds, commands, events }) => {
    await rounds(2);
    for (let death = 0; death < 10; death++) {
      replace("wm-clock");
      await rounds(2);
    }
    assert.ok(commands().includes("stop wm"));
    assert.ok(
      events().includes(
        "error: The window manager gave up after 10 restarts in 5 minutes; press Restart. The next try is in 5 minutes.",
      ),
    );
    assert.deepEqual(keeper.gaveUp, {
      kind: "wm",
      text: "gave up after 10 restarts in 5 minutes; press Restart",
    });
    keeper.rest();
    assert.equal(keeper.gaveUp, null, "it was stopped");
  }));

Deno.test("a browser over its stream's limit is replaced, not while somebody is in it, and every ten minutes at most", () =>
  watched(async ({ keeper, programs, people, rounds, commands, events, counted }) => {
    const measured = async (mebibytes: number) => {
      keeper.browserUses(programs.get("browser-clock")!.pid, mebibytes);
      await rounds(2);
      return commands();
    };
    await rounds(2);
    assert.deepEqual(await measured(900), []);
    people.vnc = 1;
    assert.deepEqual(await measured(1300), []);
    people.vnc = 0;
    await rounds(1);
    assert.deepEqual([commands(), counted()], [["restart browser"], ["browser memory"]]);
    assert.deepEqual(events(), [
      "warn: Browser restarted: it used 1300 MiB, more than the 1000 MiB it may.",
    ]);
    assert.deepEqual(await measured(1300), [], "it was replaced just now");
    keeper.browserUses(1, 1300);
    await rounds(600);
    assert.deepEqual(commands(), [], "what another process used");
    assert.deepEqual(await measured(1300), ["restart browser"]);
  }));

Deno.test("a profile over the limit is emptied, once for each measurement", () =>
  watched(async ({ keeper, rounds, commands, events, counted }) => {
    await rounds(2);
    keeper.profileHas(400_000_000);
    await rounds(3);
    assert.deepEqual(commands(), []);
    keeper.profileHas(700_000_000);
    await rounds(3);
    assert.deepEqual(commands(), ["recreate "]);
    assert.deepEqual(events(), [
      "warn: The page stored 700 MB, more than the 500 MB it may: its profile is emptied.",
    ]);
    assert.deepEqual(counted(), PIPELINE_PROGRAMS.map((kind) => `${kind} profile`));
  }, { PROFILE_LIMIT_MB: "500" }));

Deno.test("an encoder that grabs its display is restarted for the next capture program, unless it is to grab", async () => {
  const grabbing = { commandLine: "/usr/bin/ffmpeg\0-f\0x11grab\0", threads: new Map() };
  for (const [capture, expected] of [["auto", ["restart encoder"]], ["x11grab", []]] as const) {
    await watched(async ({ keeper, programs, rounds, commands }) => {
      await rounds(2);
      const later = aProgram("capture", { start: START - 70, now: START });
      keeper.sawEncoder(programs.get("encoder-clock")!, grabbing, later);
      await rounds(2);
      assert.deepEqual(commands(), expected, capture);
    }, { CAPTURE: capture });
  }
});
