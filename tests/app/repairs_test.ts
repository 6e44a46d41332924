/** What is done about a stream's programs, and what is told and counted of that, in virtual time. */
import assert from "node:assert/strict";
import type { RestartCause } from "../../lib/live/programs/restarts.ts";
import type { RepairReason } from "../../lib/machine/broker/repairs.ts";
import { PIPELINE_PROGRAMS } from "../../lib/model/programs.ts";
import { aProgram } from "../support/fixture.ts";
import { type LivingApp, livingTest } from "../support/living_test.ts";

/** A command without the stream's name. */
const short = (command: string) => command.replaceAll(/stream-clock:|-clock/g, "");

/** One stream that has run well for a while. */
async function aWard(app: LivingApp) {
  const { living, clock, machine: { supervisord, broker }, service } = app;
  const id = await app.running("Clock", { memoryLimitMb: 1000 });
  await clock.advance(40_000);
  const live = service.fleet.get(id);
  const repairs: { number: number; ageMs: number; program: string; isPart: boolean; reason: RepairReason }[] =
    [];
  broker.repairs = (after) => Promise.resolve(repairs.filter(({ number }) => number > after));
  const counts = new Map<string, number>();
  let events = 0;
  const ward = {
    id,
    live,
    keeper: live.programs,
    kill: (...kinds: string[]) => kinds.forEach((kind) => living.kill(`${kind}-clock`)),
    hang: (kind: string) => living.hang(`${kind}-clock`),
    pid: (kind: string) => living.pid(`${kind}-clock`),
    repaired: (program: string, isPart: boolean, reason: RepairReason) =>
      void repairs.push({ program, isPart, reason, number: repairs.length + 1, ageMs: 0 }),
    /** Lets seconds go by, and calls `each` behind each. */
    async pass(seconds: number, each: (second: number) => void = () => {}) {
      for (let second = 1; second <= seconds; second++) {
        await clock.advance(1000);
        each(second);
      }
    },
    /** Lets no program obey a signal. @returns the programs that were to get it, as they come. */
    ignoring(signal: "TERM" | "KILL"): string[] {
      const { run } = supervisord;
      const asked: string[] = [];
      supervisord.run = (argv, options) => {
        if (!argv.includes(signal)) return run(argv, options);
        asked.push(short(argv.slice(argv.indexOf(signal) + 1).join(" ")));
        return Promise.resolve({ code: 0, stdout: "", stderr: "" });
      };
      return asked;
    },
    /** What the supervisor was told to do with the programs; emptied by reading. */
    commands: () => supervisord.commands().map(short),
    /** What was told of the programs; emptied by reading. */
    events: () => {
      const all = service.events.list(id).filter(({ kind }) => kind === "program" || kind === "profile");
      return all.slice(events, events = all.length).map(({ level, text }) => `${level}: ${text}`);
    },
    /** The restarts that were counted; emptied by reading. */
    counted: () =>
      [...service.restarts.byProgram()].flatMap(({ program, cause, count }) => {
        const name = `${program} ${cause satisfies RestartCause}`;
        const more = count - (counts.get(name) ?? 0);
        counts.set(name, count);
        return Array<string>(more).fill(name);
      }),
  };
  ward.commands();
  ward.events();
  ward.counted();
  return ward;
}

type Ward = Awaited<ReturnType<typeof aWard>>;

function wardTest(
  name: string,
  test: (ward: Ward, app: LivingApp) => Promise<void>,
  env?: Record<string, string>,
): void {
  livingTest(name, async (app) => await test(await aWard(app), app), env);
}

wardTest("what supervisord restarted by itself is told, with what it brought along", async (ward) => {
  await ward.pass(3);
  assert.deepEqual([ward.events(), ward.counted(), ward.commands()], [[], [], []]);
  ward.kill("display");
  await ward.pass(5);
  assert.deepEqual(ward.events(), [
    "warn: The display was restarted: it had ended.",
    "warn: The window manager was restarted: the display had just been started again.",
    "warn: The browser was restarted: the display had just been started again.",
    "warn: The encoder was restarted: its display was restarted.",
  ]);
  assert.deepEqual(ward.commands(), ["signal TERM encoder"]);
  assert.deepEqual(ward.counted(), [
    "display ended",
    ...["wm", "browser", "encoder"].map((one) => `${one} dependency`),
  ]);
});

wardTest(
  "what hangs on a program that was restarted is asked to end, and restarted if it does not",
  async (ward) => {
    const asked = ward.ignoring("TERM");
    ward.kill("audio");
    await ward.pass(12);
    assert.deepEqual([asked, ward.commands()], [["browser encoder"], ["restart browser encoder"]]);
    assert.deepEqual(ward.events(), [
      "warn: The sound server was restarted: it had ended.",
      "warn: The browser and the encoder were restarted: the sound server was restarted.",
    ]);
    assert.deepEqual(ward.counted().sort(), ["audio ended", "browser dependency", "encoder dependency"]);
  },
);

wardTest("what `up` ended is told with its reason, once", async (ward) => {
  ward.repaired("encoder-clock", false, "stopped");
  ward.repaired("browser-clock", true, "stopped");
  ward.kill("encoder");
  await ward.pass(5);
  assert.deepEqual(ward.events(), [
    "warn: A process of the browser was ended: it was stopped (SIGSTOP).",
    "warn: The encoder was restarted: it was stopped (SIGSTOP).",
  ]);
  assert.deepEqual([ward.counted(), ward.commands()], [["encoder hung"], []]);
});

wardTest("a shared program's restart is told", async (ward, { living }) => {
  ward.repaired("media", false, "stopped");
  ward.repaired("web", false, "silent");
  ward.repaired("supervisord", true, "stopped");
  living.kill("media");
  await ward.pass(3);
  assert.deepEqual(ward.events().slice(0, 3), [
    "warn: The web app was restarted: it did not answer.",
    "warn: The supervisor of all programs was stopped (SIGSTOP), and was continued.",
    "warn: The media server was restarted: it was stopped (SIGSTOP).",
  ]);
  assert.ok(ward.counted().includes("media hung"));
});

wardTest("each sound server that was started again is heard anew", async (ward, { machine: { broker } }) => {
  let heard = 0;
  broker.unmute = () => Promise.resolve(void heard++);
  await ward.pass(20);
  assert.equal(heard, 0);
  ward.kill("audio");
  await ward.pass(20);
  assert.equal(heard, 1);
});

wardTest(
  "a browser that answers no more is killed; the next one is asked before it is blamed",
  async (ward) => {
    ward.hang("browser");
    const commands: string[] = [];
    let killedAt = NaN;
    await ward.pass(60, (second) => {
      commands.push(...ward.commands());
      if (commands.length === 1 && Number.isNaN(killedAt)) {
        killedAt = second;
        ward.hang("browser");
      }
      if (second === killedAt + 20) assert.deepEqual(commands, ["signal KILL browser"]);
    });
    assert.ok(killedAt > 20 && killedAt <= 40, `after ${killedAt} s`);
    assert.equal(ward.events()[0], "warn: The browser was restarted: it did not answer.");
    assert.equal(ward.counted()[0], "browser hung");
  },
);

wardTest(
  "no picture: the encoder, then the media server since no stream has one, then the display",
  async (ward, { living }) => {
    living.still(ward.id);
    await ward.pass(14);
    assert.deepEqual([ward.commands(), ward.counted()], [["signal KILL encoder"], ["encoder starved"]]);
    await ward.pass(12);
    assert.deepEqual(ward.commands(), ["signal KILL media"]);
    await ward.pass(14);
    assert.deepEqual(ward.commands(), ["signal KILL display wm browser encoder"]);
    const starved = ["display", "wm", "browser", "encoder"].map((kind) => `${kind} starved`);
    assert.deepEqual(ward.counted(), [...starved, "media starved"]);
    await ward.pass(14);
    assert.deepEqual(ward.commands(), ["stop browser * autologin autoreload push", "start *"]);
    assert.deepEqual(ward.counted().sort(), PIPELINE_PROGRAMS.map((kind) => `${kind} starved`).sort());
  },
);

wardTest(
  "a shared program that answers no more, whatever is done, is killed with growing pauses",
  async (ward, { living }) => {
    const asked = ward.ignoring("KILL");
    living.hang("vnc-proxy");
    const at: number[] = [];
    await ward.pass(130, (second) => {
      if (asked.splice(0).includes("vnc-proxy")) at.push(second);
    });
    assert.ok(at[0] > 20 && at[0] <= 31, `first after ${at[0]} s`);
    // it is asked every 10 s
    const pauses = at.slice(1).map((one, index) => one - at[index]);
    assert.deepEqual(pauses.slice(0, 4), [10, 10, 20, 40]);
  },
);

wardTest(
  "the capture program that answers no more is killed once, and that is told",
  async (ward, { living }) => {
    living.hang("capture");
    const killed: number[] = [];
    await ward.pass(60, (second) => {
      if (ward.commands().includes("signal KILL capture")) killed.push(second);
    });
    assert.ok(killed.length === 1 && killed[0] > 20 && killed[0] <= 31, `after ${killed} s`);
    assert.deepEqual(ward.events(), ["warn: The capture program was restarted: it did not answer."]);
    assert.deepEqual(ward.counted(), ["capture hung"]);
  },
);

wardTest("a program that dies again and again is left down, and that is said", async (ward) => {
  for (let death = 0; death < 10; death++) {
    ward.kill("wm");
    await ward.pass(3);
  }
  assert.ok(ward.commands().includes("stop wm"));
  const text = "gave up after 10 restarts in 5 minutes; press Restart";
  assert.ok(ward.events().includes(`error: The window manager ${text}. The next try is in 5 minutes.`));
  assert.deepEqual(ward.keeper.gaveUp, { kind: "wm", text });
  await ward.live.work.stop();
  await ward.pass(2);
  assert.equal(ward.keeper.gaveUp, null, "it was stopped");
});

wardTest(
  "a browser over its stream's limit is replaced, not while somebody is in it, and every ten minutes at most",
  async (ward) => {
    let viewers = 0;
    Object.defineProperty(ward.live, "viewers", { get: () => viewers });
    const measured = async (mebibytes: number) => {
      ward.keeper.browserUses(ward.pid("browser"), mebibytes);
      await ward.pass(2);
      return ward.commands();
    };
    assert.deepEqual(await measured(900), []);
    viewers = 1;
    assert.deepEqual(await measured(1300), []);
    viewers = 0;
    await ward.pass(1);
    assert.deepEqual([ward.commands(), ward.counted()], [["restart browser"], ["browser memory"]]);
    assert.deepEqual(ward.events(), [
      "warn: Browser restarted: it used 1300 MiB, more than the 1000 MiB it may.",
    ]);
    assert.deepEqual(await measured(1300), [], "it was replaced just now");
    ward.keeper.browserUses(1, 1300);
    await ward.pass(600);
    assert.deepEqual(ward.commands(), [], "what another process used");
    assert.deepEqual(await measured(1300), ["restart browser"]);
  },
);

wardTest("a profile over the limit is emptied, once for each measurement", async (ward) => {
  ward.keeper.profileHas(400_000_000);
  await ward.pass(3);
  assert.deepEqual(ward.commands(), []);
  ward.keeper.profileHas(700_000_000);
  await ward.pass(3);
  assert.deepEqual(ward.commands(), [
    "stop browser * autologin autoreload push",
    "update stream autologin autoreload push",
    "start *",
  ]);
  assert.deepEqual(ward.events().slice(0, 1), [
    "warn: The page stored 700 MB, more than the 500 MB it may: its profile is emptied.",
  ]);
  assert.deepEqual(ward.counted().sort(), PIPELINE_PROGRAMS.map((kind) => `${kind} profile`).sort());
}, { PROFILE_LIMIT_MB: "500" });

const GRABBING = { commandLine: "/usr/bin/ffmpeg\0-f\0x11grab\0", threads: new Map() };

for (const [capture, commands] of [["auto", ["restart encoder"]], ["x11grab", []]] as const) {
  wardTest(
    `an encoder that grabs its display with CAPTURE=${capture}, and another capture program`,
    async (ward, app) => {
      const encoder = (await app.machine.programs()).find(({ name }) => name === "encoder-clock")!;
      const later = aProgram("capture", { start: encoder.start + 30, now: encoder.start + 100 });
      ward.keeper.sawEncoder(encoder, GRABBING, later);
      await ward.pass(2);
      assert.deepEqual(ward.commands(), commands);
    },
    { CAPTURE: capture },
  );
}
