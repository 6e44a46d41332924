import assert from "node:assert/strict";
import { PlaylistAges } from "../../../lib/media/playlist_ages.ts";
import type { Repair } from "../../../lib/broker/repairs.ts";
import { ProgramProbes } from "../../../lib/live/programs/probes.ts";
import { ProgramWatchdog } from "../../../lib/fleet/program_watchdog.ts";
import { RepairNews } from "../../../lib/live/programs/repair_news.ts";
import { SharedPrograms } from "../../../lib/live/programs/shared_programs.ts";
import type { Question } from "../../../lib/system/probe.ts";
import { channelDir, playlistFile } from "../../../lib/media/hls.ts";
import { streamId } from "../../../lib/model/id.ts";
import { PIPELINE_PROGRAMS, type ProgramKind } from "../../../lib/model/programs.ts";
import type { Program } from "../../../lib/supervisor/status.ts";
import { setLogLevel } from "../../../lib/system/log.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import { aProgram, aStream, tempDir } from "../../support/fixture.ts";

setLogLevel("error");

const id = streamId("clock");
/** Unix seconds of the first round; the stream was started 100 s before. */
const START = 1000;

/** One running stream, and a watchdog over it, at a time that the test sets. */
async function watched(test: (ward: Awaited<ReturnType<typeof makeWard>>) => Promise<void>) {
  await using dir = await tempDir();
  await test(await makeWard(dir.path));
}

async function makeWard(hlsDir: string) {
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
  const events: string[] = [];
  const counted: string[] = [];
  const repairs: Repair[] = [];
  let seconds = START, operations = 0, lastPid = 100;
  const silent = new Set<string>();
  const given = { obeys: true };
  const now = () => seconds * 1000;
  const limits = DEFAULT_TIMINGS;
  /** A program that died has another pid. */
  const replace = (name: string) => {
    programs.set(name, aProgram(name, { pid: ++lastPid, start: seconds }));
  };
  const note = (what: string) => (_id: string, kinds: readonly ProgramKind[]) => {
    commands.push(`${what} ${kinds}`);
    operations++;
    if (what !== "stop") { for (const kind of kinds) replace(`${kind}-clock`); }
    return Promise.resolve();
  };
  await Deno.mkdir(channelDir(hlsDir, id), { recursive: true });
  const list = playlistFile(hlsDir, id);
  await Deno.writeTextFile(list, "#EXTINF:1,\n1.ts\n".repeat(20));
  const news = new RepairNews(
    (after) => Promise.resolve(repairs.filter(({ number }) => number > after)),
    now,
  );
  const shared = new SharedPrograms({
    questions: { media: [question("media")], "vnc-proxy": [], capture: [question("capture")], front: [] },
    answers: ({ address }) => Promise.resolve(!silent.has((address as Deno.UnixConnectOptions).path)),
    kill: (name) => {
      commands.push(`kill ${name}`);
      if (silent.has(name)) return Promise.resolve();
      replace(name);
      if (name === "media") replace("encoder-clock");
      return Promise.resolve();
    },
    news,
    tell: (text) => events.push(text),
    countRestart: (program, cause) => counted.push(`${program} ${cause}`),
    limits,
    elapsed: now,
  });
  const ask = (kind: string) => () => Promise.resolve(!silent.has(kind));
  const probes = new ProgramProbes({
    ask: { display: ask("display"), audio: ask("audio"), browser: ask("browser") },
    isDisplayTaken: () => Promise.resolve(false),
    limits: limits.probe,
    elapsed: now,
  });
  const ages = new PlaylistAges(hlsDir, now, now);
  const watchdog = new ProgramWatchdog({
    store: { list: () => [aStream({ desiredState: "running" })] },
    status: { programs: () => Promise.resolve(programs) },
    reconciler: {
      spec: () => ({ stream: aStream(), display: 101, startedAt: (START - 100) * 1000 }),
      startedAt: () => (START - 100) * 1000,
      problem: () => null,
      isBusy: () => false,
      retry: () => Promise.resolve(),
      operations: () => operations,
      restartPrograms: note("restart"),
      endPrograms: (_id, kinds) => {
        if (given.obeys) return note("end")(_id, kinds);
        commands.push(`end ${kinds}`);
        operations++;
        return Promise.resolve();
      },
      killPrograms: note("kill"),
      stopPrograms: note("stop"),
      restartAll: () => note("restart all")(id, []),
    },
    probes,
    shared,
    news,
    addEvent: (_id, _kind, text, level) => events.push(`${level}: ${text}`),
    countRestarts: (_id, programs, cause) => counted.push(...programs.map((one) => `${one} ${cause}`)),
    playlistAgeMs: (id) => ages.of(id),
    limits,
    elapsed: now,
  });
  let isFresh = true;
  return {
    watchdog,
    given,
    silent,
    /** What was done, and told; emptied by reading. */
    commands: () => commands.splice(0),
    events: () => events.splice(0),
    counted: () => counted.splice(0),
    picture: (comes: boolean) => isFresh = comes,
    repaired: (repair: Omit<Repair, "number" | "ageMs">) =>
      repairs.push({ ...repair, number: repairs.length + 1, ageMs: 0 }),
    replace,
    async rounds(count: number, each: () => void = () => {}) {
      for (let round = 0; round < count; round++) {
        seconds++;
        if (isFresh) await Deno.utime(list, seconds - 1, seconds - 1);
        for (const program of programs.values()) program.now = seconds;
        each();
        await watchdog.round();
        await probes.settled();
        await shared.settled();
      }
    },
  };
}

function question(path: string): Question {
  return { address: { transport: "unix", path }, bytes: new Uint8Array(0) };
}

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
    assert.deepEqual(counted(), ["audio ended", "browser dependency", "encoder dependency"]);
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
      "The media server was restarted: it was stopped (SIGSTOP).",
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
  watched(async ({ watchdog, replace, rounds, commands, events }) => {
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
    assert.deepEqual(watchdog.gaveUp(id), {
      kind: "wm",
      text: "gave up after 10 restarts in 5 minutes; press Restart",
    });
    assert.equal(watchdog.gaveUp(streamId("other")), null);
  }));
