/**
 * Real clients: each plays a real channel of a service with a login, by the address that the playlist of an app's access
 * token gives it.
 */
import { strict as assert } from "node:assert";
import { untilPageShown } from "../support/channel.ts";
import { checkDecoding, checkPlayer, checkReport, playlistAddress } from "../support/clients.ts";
import { watchChannel } from "../support/hls_validator.ts";
import { CHANNEL_FPS, startPlayer } from "../support/players.ts";
import { until } from "../support/same.ts";
import { startService, type TestService } from "../support/service.ts";
import { pause } from "../support/within.ts";
import { inSoak } from "../support/soak.ts";
import { tellTime } from "../support/times.ts";

/** Setting up proves nothing here: channel_test.ts says how soon a channel is there. */

/** How long a client is looked at once it plays. */
const SPAN_MS = 7000;
/** Milliseconds to a client's second picture: VLC buffers, and begins three segments behind the newest. */

const all = new AsyncDisposableStack();
let service: TestService;
let id: string;
let url: string;
let token: { id: string; token: string };

// one channel for all clients; it is there before them, so that it is no leak of a test
Deno.test.beforeAll(async () => {
  service = await startService({ env: { AUTH_USER: "anna", AUTH_PASS: "correct horse" } });
  all.defer(async () => {
    await service.stop();
  });
  ({ id } = await service.create({ name: "Clock", fps: CHANNEL_FPS }));
  token = await newToken("Players");
  url = await playlistAddress(service, "Clock", token.token);
  await untilPageShown(service, id, 0, { url });
});
Deno.test.afterAll(() => all.disposeAsync());

async function newToken(name: string): Promise<typeof token> {
  const answer = await service.api("POST", "/api/access-tokens", { name, streams: [id] });
  assert.equal(answer.status, 201);
  return await answer.json();
}

/** What the service, its programs and the media server wrote. */
async function allLogs(): Promise<string> {
  const texts = [service.output()];
  for await (const { name, isFile } of Deno.readDir(`${service.dataDir}/logs`)) {
    if (isFile) texts.push(await Deno.readTextFile(`${service.dataDir}/logs/${name}`));
  }
  return texts.join("\n");
}

Deno.test("ffmpeg decodes 10 s without an error, no picture missing, times that only rise", async () => {
  await checkDecoding(url, CHANNEL_FPS);
});

for (const name of ["mpv", "VLC"] as const) {
  inSoak(Deno.test)(`${name} shows the page and plays its tone`, async () => {
    await using player = await startPlayer(name, url);
    await until("the second picture", () => player.pictures.length > 1);
    const from = Date.now();
    await pause(SPAN_MS);
    await player.stop();
    await checkPlayer(name, player, [{ what: "while all is well", from, to: from + SPAN_MS }]);
  });
}

Deno.test("the channel keeps RFC 8216's live rules, also when its encoder is killed", async () => {
  const watch = watchChannel(url);
  await pause(SPAN_MS);
  await watch.fault(
    "kill -9 of the encoder",
    async () => Deno.kill(await service.programPid(`encoder-${id}`), "SIGKILL"),
  );
  await pause(SPAN_MS);
  checkReport(await watch.end());
});

Deno.test("a player whose token is revoked gets nothing more at once, and no log has the token", async () => {
  const guest = await newToken("Guest");
  const address = await playlistAddress(service, "Clock", guest.token);
  const ask = async (url: string) => {
    const answer = await fetch(url);
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await ask(address), 200);
  assert.equal((await service.api("DELETE", `/api/access-tokens/${guest.id}`)).status, 204);
  const revokedAt = performance.now();
  assert.equal(await ask(address), 404);
  tellTime("the refusal of a revoked token", (performance.now() - revokedAt) / 1000, 1);
  assert.equal(await ask(url), 200, "another token goes on");
  assert.equal(await ask(url.replace(/\/t\/[^/]+/, "")), 401, "without a token there is the login");
  // the log is another process' output, which comes after the answer
  let logs = "";
  await until(
    "the log to say it",
    async () => (logs = await allLogs()).includes("access token revoked"),
  );
  for (const { token: one } of [token, guest]) assert.ok(!logs.includes(one));
});
