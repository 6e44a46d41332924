/**
 * One transport stream for minutes, as players and a strict receiver get it; then 300 viewers who hardly read.
 * `TRANSPORT_MINUTES=60` is the long run.
 */
import { strict as assert } from "node:assert";
import { residentMiB } from "../support/memory.ts";
import { type PlayerName, PLAYERS, type Playing, startPlayer } from "../support/players.ts";
import { startService, type TestService } from "../support/service.ts";
import { webPid } from "../support/takeover.ts";
import { checkTransport, recordTransport } from "../support/transport_checker.ts";
import { pause, within } from "../support/within.ts";

const minutes = Number(Deno.env.get("TRANSPORT_MINUTES") ?? 10);
const NAMES = Object.keys(PLAYERS) as PlayerName[];
/** A player may begin with a pause; then a page whose text ticks has a picture of it each second. */
const BEGIN_MS = 15_000;
const LONGEST_PAUSE_MS = 4000;

const all = new AsyncDisposableStack();
let service: TestService;
let address: string;
const played = new Map<PlayerName, { times: number[]; log: string }>();
let recorded: Uint8Array;

Deno.test.beforeAll(async () => {
  service = await startService();
  all.defer(async () => {
    await service.stop();
  });
  const { id } = await service.create({ name: "Ticking", url: `${service.pageUrl}static.html`, fps: 10 });
  await service.untilState(id, "running");
  address = `${service.url}/api/ts/${id}`;
  const recorder = await recordTransport(address);
  const players = new Map<PlayerName, Playing>();
  for (const name of NAMES) {
    players.set(name, all.use(await startPlayer(name, address, { every: 2, isLong: true })));
  }
  await pause(minutes * 60_000);
  for (const [name, player] of players) {
    await player.stop();
    const times = (name === "VLC" ? player.soundTimes : player.pictures).map(({ at }) => at);
    played.set(name, { times, log: await player.log() });
  }
  recorded = await recorder.stop();
});
Deno.test.afterAll(() => all.disposeAsync());

for (const name of NAMES) {
  Deno.test(`${name} plays all the time`, () => {
    const { times, log } = played.get(name)!;
    assert.ok(times.length > minutes * 30, `${times.length} times: ${log}`);
    const late = times.slice(1).filter((at, index) =>
      at - times[0] > BEGIN_MS && at - times[index] > LONGEST_PAUSE_MS
    );
    const worst = Math.max(...times.slice(1).map((at, index) => at - times[index]));
    console.log(
      `    ${times.length} times in ${((times.at(-1)! - times[0]) / 1000).toFixed(0)} s, worst ${worst} ms`,
    );
    assert.deepEqual(late, [], log);
  });
}

Deno.test("a strict receiver has nothing to complain of", () => {
  const { problems, seconds, keyFrames } = checkTransport(recorded);
  console.log(
    `    ${seconds.toFixed(0)} s, ${keyFrames} key frames, ${(recorded.length / 2 ** 20).toFixed(1)} MiB`,
  );
  assert.deepEqual(problems, []);
  assert.ok(
    seconds > minutes * 60 - 5 && keyFrames > minutes * 60 - 5,
    `${seconds} s, ${keyFrames} key frames`,
  );
});

Deno.test("300 viewers who do not read are let go, cost little memory, and hold nobody up", async () => {
  const web = webPid(service);
  const moving = await service.create({ name: "Moving", url: `${service.pageUrl}moving.html` });
  await service.untilState(moving.id, "running");
  const url = new URL(`${service.url}/api/ts/${moving.id}`);
  const honest = await recordTransport(url.href);
  await pause(5000);
  const before = residentMiB(web);
  const conns: Deno.TcpConn[] = [];
  try {
    const request = `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`;
    for (let at = 0; at < 300; at++) {
      const conn = await Deno.connect({ hostname: url.hostname, port: Number(url.port) });
      conns.push(conn);
      await conn.write(new TextEncoder().encode(request));
    }
    let most = before;
    // the kernel's buffers take up to 10 MiB of each: a minute of a moving page
    await within("all to be let go", 240_000, async () => {
      most = Math.max(most, residentMiB(web));
      const { [moving.id]: figures } = await (await service.api("GET", "/api/figures")).json();
      return figures.viewers <= 1;
    }, 500);
    console.log(`    memory of the web app +${Math.round(most - before)} MiB`);
    assert.ok(most - before < 300, `the web app grew from ${before} to ${most} MiB`);
  } finally {
    for (const conn of conns) conn.close();
  }
  const { problems, keyFrames } = checkTransport(await honest.stop());
  assert.deepEqual(problems, []);
  assert.ok(keyFrames > 10);
});
