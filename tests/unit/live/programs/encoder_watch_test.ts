import { strict as assert } from "node:assert";
import { type EncoderProcess, EncoderWatch } from "../../../../lib/live/programs/encoder_watch.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { aProgram } from "../../../support/fixture.ts";

const ID = streamId("wall");
const CHECK_MS = 5000;
const FFMPEG = "/usr/bin/ffmpeg\0-f\0pulse\0";

/** One encoder, whose thread is busy for a part of the time. */
function anEncoder(audio = true, areChangesTaken = true) {
  const reports = new Map<string, string | null>();
  const clock = { now: 0 };
  const seen = { pid: 7, commandLine: FFMPEG, busyNs: 0, capture: aProgram("capture"), isBusy: false };
  const restarts: string[] = [];
  const counted: string[] = [];
  const watch = new EncoderWatch({
    running: () => [{ id: ID, audio }],
    programs: () => {
      const encoder = aProgram("encoder-wall", { pid: seen.pid });
      return Promise.resolve(new Map([["encoder-wall", encoder], ["capture", seen.capture]]));
    },
    look: (): Promise<EncoderProcess> =>
      Promise.resolve({ commandLine: seen.commandLine, threads: new Map([["7", seen.busyNs], ["8", 0]]) }),
    health: { report: (_id, trouble, words) => void reports.set(trouble, words) },
    isBusy: () => seen.isBusy,
    areChangesTaken,
    restartEncoder: (id) => {
      restarts.push(id);
      return Promise.resolve();
    },
    addEvent: (_id, _kind, text) => void restarts.push(text),
    countRestarts: (_id, programs, cause) => void counted.push(`${programs} ${cause}`),
    limits: { encoderCheckMs: CHECK_MS, encoderReturnMs: 60_000 },
    elapsed: () => clock.now,
  });
  const rounds = async (count: number, busy: number) => {
    for (let round = 0; round < count; round++) {
      await watch.round();
      clock.now += CHECK_MS;
      seen.busyNs += CHECK_MS * 1e6 * busy;
    }
    return reports.get("encoder-slow");
  };
  return { reports, seen, restarts, counted, rounds };
}

Deno.test("encoder watch: one that never rests for three checks is too slow, until it has rested for three", async () => {
  const { rounds } = anEncoder();
  assert.equal(await rounds(3, 1), undefined);
  assert.equal(await rounds(1, 1), "");
  assert.equal(await rounds(3, 0.8), "", "the first of these checks is of the time before");
  assert.equal(await rounds(1, 0.8), null);
});

Deno.test("encoder watch: busy seconds now and then, or those of an encoder before, do not count", async () => {
  const { rounds, seen } = anEncoder();
  for (let times = 0; times < 4; times++) {
    assert.notEqual(await rounds(2, 1), "");
    assert.notEqual(await rounds(1, 0.5), "");
  }
  const other = anEncoder();
  await other.rounds(3, 1);
  other.seen.pid = 8;
  assert.equal(await other.rounds(2, 1), undefined);
  assert.equal(seen.pid, 7);
});

Deno.test("encoder watch: silence where the page's sound is wanted is told, and only there", async () => {
  for (
    const [audio, source, expected] of [[true, "anullsrc=r=48000", ""], [true, "pulse", null], [
      false,
      "anullsrc",
      null,
    ]] as const
  ) {
    const { rounds, seen, reports } = anEncoder(audio);
    seen.commandLine = `/usr/bin/ffmpeg\0-i\0${source}\0`;
    await rounds(1, 0);
    assert.equal(reports.get("no-sound"), expected);
  }
  const preparing = anEncoder();
  preparing.seen.commandLine = "deno\0run\0encoder\0";
  await preparing.rounds(5, 1);
  assert.equal(preparing.reports.size, 0);
});

Deno.test("encoder watch: one that grabs its display is restarted for the next capture program, once that has lasted", async () => {
  // the encoder is of 900, and it is 1000
  const later = aProgram("capture", { start: 930 });
  const cases: [why: string, restarts: number, change: (encoder: ReturnType<typeof anEncoder>) => void][] = [
    ["a capture program of after it, for 70 s", 1, () => {}],
    ["the capture program that refused it", 0, ({ seen }) => seen.capture = aProgram("capture")],
    ["one that has just begun", 0, ({ seen }) => seen.capture = aProgram("capture", { start: 941 })],
    ["one that does not run", 0, ({ seen }) => seen.capture = { ...later, state: "BACKOFF" }],
    ["somebody works on the stream", 0, ({ seen }) => seen.isBusy = true],
    ["it takes pictures of what changes", 0, ({ seen }) => seen.commandLine = FFMPEG],
  ];
  for (const [why, expected, change] of cases) {
    const encoder = anEncoder();
    encoder.seen.capture = later;
    encoder.seen.commandLine = "/usr/bin/ffmpeg\0-f\0x11grab\0";
    change(encoder);
    await encoder.rounds(1, 0);
    assert.equal(encoder.restarts.filter((one) => one === ID).length, expected, why);
    assert.deepEqual(encoder.counted, Array(expected).fill("encoder dependency"), why);
  }
  const wanted = anEncoder(true, false);
  Object.assign(wanted.seen, { capture: later, commandLine: "/usr/bin/ffmpeg\0-f\0x11grab\0" });
  await wanted.rounds(1, 0);
  assert.deepEqual(wanted.restarts, [], "CAPTURE=x11grab");
});
