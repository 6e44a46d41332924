/**
 * Real clients for three minutes, all at once: while all is well, over a killed encoder and over a media server's
 * restart, while the validator checks every version of the channel's list.
 */
import { strict as assert } from "node:assert";
import { launchBrowser } from "../support/browser.ts";
import { untilPageShown } from "../support/channel.ts";
import {
  checkPlayer,
  checkReport,
  checkSamples,
  checkSeconds,
  playlistAddress,
  sampleEverySecond,
  type Span,
} from "../support/clients.ts";
import { openHlsPage, type Sample } from "../support/hls_page.ts";
import { type ChannelReport, watchChannel } from "../support/hls_validator.ts";
import { CHANNEL_FPS, type PlayerName, PLAYERS, type Playing, startPlayer } from "../support/players.ts";
import { startService } from "../support/service.ts";
import { pause } from "../support/within.ts";

/** Setting up proves nothing here. */
const SETUP_MS = 60_000;
/** While all is well, after the first and after the second fault. */
const PART_MS = 60_000;
/** Milliseconds for a player that has just begun, or lived through a fault, to show what it has to. */
const PLAYER_BACK_MS = 15_000;

const all = new AsyncDisposableStack();
const players = new Map<PlayerName, Playing>();
const spans: Span[] = [];
let samples: Sample[];
let fatalErrors: string[];
let report: ChannelReport;
let seconds: number;

Deno.test.beforeAll(async () => {
  const service = await startService();
  all.defer(async () => {
    await service.stop();
  });
  const browser = all.use(await launchBrowser());
  const { id } = await service.create({ name: "Clock", fps: CHANNEL_FPS });
  await untilPageShown(service, id, 0, { limitMs: SETUP_MS });
  const url = await playlistAddress(service, "Clock");

  const start = Date.now();
  const watch = watchChannel(url);
  for (const name of Object.keys(PLAYERS) as PlayerName[]) {
    players.set(name, all.use(await startPlayer(name, url)));
  }
  const page = await openHlsPage(browser, service.url, url);
  const sampling = sampleEverySecond(page);
  spans.push({ what: "while all is well", from: start + PLAYER_BACK_MS, to: start + PART_MS });
  await pause(start + PART_MS - Date.now());
  const faults: [string, () => unknown][] = [
    ["kill -9 of the encoder", async () => Deno.kill(await service.programPid(`encoder-${id}`), "SIGKILL")],
    [
      "a restart of the media server",
      () => Deno.kill(service.processes(/nginx: master .*nginx\.conf/)[0], "SIGTERM"),
    ],
  ];
  for (const [what, action] of faults) {
    await watch.fault(what, action);
    const from = Date.now();
    spans.push({ what: `after ${what}`, from: from + PLAYER_BACK_MS, to: from + PART_MS });
    await pause(PART_MS);
  }
  seconds = (Date.now() - start) / 1000;
  report = await watch.end();
  samples = await sampling.end();
  fatalErrors = await page.fatalErrors();
  for (const player of players.values()) await player.stop();
});
Deno.test.afterAll(() => all.disposeAsync());

Deno.test("no rule of RFC 8216 is broken in three minutes, and the headers are those we promise", () =>
  checkReport(report));

Deno.test("as many segments came as seconds went by, and none was late", () => checkSeconds(report, seconds));

for (const name of Object.keys(PLAYERS) as PlayerName[]) {
  Deno.test(`${name}: picture and tone go on after each fault`, () =>
    checkPlayer(name, players.get(name)!, spans));
}

Deno.test("hls.js: the picture goes on after each fault", () => {
  checkSamples(samples, spans);
  assert.deepEqual(fatalErrors, []);
});
