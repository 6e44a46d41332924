/** What other people's players show of a channel's past, by the addresses that IPTV apps make, with an access token. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { run, runBytes } from "../../../lib/machine/os/process.ts";
import { testApp } from "../../support/app.ts";
import { iptvsimpleAddress } from "../../support/catchup.ts";
import { tempDir } from "../../support/fixture.ts";
import { parseM3u } from "../../support/m3u.ts";
import { HD, pastFolder, type PastPiece, secondOf, writePast } from "../../support/past.ts";
import { startPlayer } from "../../support/players.ts";
import { until } from "../../support/same.ts";

/** A whole hour, as Unix time in s. */
const BEGIN = 1_790_002_800;
/** Three minutes of a clock after half an hour, and a page that stands still until the hour is over. */
const CLOCK = BEGIN + 1800;
const HISTORY: PastPiece[] = [
  { number: 1, seconds: [BEGIN], end: CLOCK },
  { number: 2, seconds: Array.from({ length: 180 }, (_, at) => CLOCK + at), end: CLOCK + 600 },
  { number: 3, seconds: [CLOCK + 600], end: BEGIN + 3600 },
];
const NOW = BEGIN + 3700;

interface Served extends AsyncDisposable {
  /** An address of each way to ask for a programme. */
  ways(start: number, duration: number): [way: string, address: string][];
}

/** The app on a port, with a past of which the real ffmpeg makes film. */
async function served(): Promise<Served> {
  const app = await testApp({ env: { AUTH_USER: "anna", AUTH_PASS: "correct horse" } });
  app.machine.advance(NOW * 1000 - app.machine.now());
  app.machine.runBytes = runBytes;
  await app.create({ rewindFor: "viewers" });
  await writePast(pastFolder(app.paths), HISTORY);
  const { json: { token } } = await app.api("POST", "/api/access-tokens", { name: "TV" });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.handler);
  const list = await (await fetch(`http://127.0.0.1:${server.addr.port}/t/${token}/playlist.m3u`)).text();
  const [{ catchup, url }] = parseM3u(list).channels;
  return {
    ways: (start, duration) =>
      [["default", catchup.source], ["shift", `${url}?utc={utc}&lutc={lutc}`]].map(
        ([way, source]) => [way, iptvsimpleAddress(source, { start, duration }, NOW)],
      ),
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** The second that a picture file shows, behind the clock's first one. */
async function secondIn(file: string): Promise<number> {
  const { stdout } = await runBytes(
    ["/usr/bin/ffmpeg", "-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "gray", "pipe:1"],
    { timeoutMs: 30_000 },
  );
  return secondOf(stdout, HD.width, HD) - CLOCK;
}

Deno.test("ffprobe finds a picture for each second of a programme", async () => {
  await using app = await served();
  for (const [way, address] of app.ways(CLOCK, 300)) {
    const { stdout, stderr } = await run(
      ["/usr/bin/ffprobe", "-v", "warning", "-show_entries", "packet=pts_time", "-of", "json", address],
      { timeoutMs: 60_000 },
    );
    assert.equal(stderr, "", way);
    const { packets } = JSON.parse(stdout);
    const times = packets.map((packet: { pts_time: string }) => Number(packet.pts_time));
    // the way "shift" has no end: what is kept is shown
    const expected = way === "default" ? 300 : 1800;
    assert.deepEqual(times, Array.from({ length: expected }, (_, at) => at), way);
  }
});

Deno.test("mpv shows the seconds of a programme", async () => {
  await using app = await served();
  for (const [way, address] of app.ways(CLOCK - 30, 300)) {
    await using dir = await tempDir();
    const { code, stdout } = await run(
      [
        ...["/usr/bin/mpv", "--no-config", "--untimed", "--no-audio", "--vo=image", "--vo-image-format=png"],
        ...["--vo-image-png-compression=1", `--vo-image-outdir=${dir.path}`, "--start=70", "--length=5"],
        address,
      ],
      { timeoutMs: 60_000 },
    );
    assert.equal(code, 0, stdout);
    const files = (await Array.fromAsync(Deno.readDir(dir.path), ({ name }) => name)).sort();
    const shown = await Promise.all(files.map((name) => secondIn(join(dir.path, name))));
    assert.deepEqual(shown, [40, 41, 42, 43, 44], way);
  }
});

Deno.test("VLC shows the seconds of a programme", async () => {
  await using app = await served();
  for (const [way, address] of app.ways(CLOCK + 2, 120)) {
    await using player = await startPlayer("VLC", address, { every: 1, isLong: false });
    let seen = 0;
    const shown = new Set<number>();
    await until(`some of the first seconds, by the way "${way}"`, async () => {
      const whole = player.pictures.slice(seen, -1);
      seen += whole.length;
      const [newest] = whole.slice(-1);
      if (newest) shown.add(await secondIn(newest.file));
      return [3, 4, 5, 6, 7].filter((second) => shown.has(second)).length >= 3;
    });
    assert.deepEqual([...shown], [...shown].toSorted((one, other) => one - other), way);
  }
});
