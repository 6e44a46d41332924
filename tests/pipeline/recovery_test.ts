/** Whatever program dies or hangs: the channel is back, within the limits of production. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { newestSequence, playlistUrl, untilPageShown } from "../support/channel.ts";
import { fetchPlaylist, sound } from "../support/media.ts";
import { isHealthy, sharedService, type TestService, until } from "../support/service.ts";

const serviceTest = sharedService();

/** The specification's limit for the page's picture to be back. */
const BACK_MS = 10_000;
/** supervisord counts a death within 5 s of the start as a failing start, which is another case. */
const SETTLED_SECONDS = 5;

/** The stream that all tests break, whole again after the test before. */
async function phoenix(service: TestService): Promise<string> {
  const { id } = await service.sharedStream({ name: "Phoenix", fps: 25 });
  await until("all programs to run for a while", 40_000, async () => {
    const { state, programs } = await service.status(id);
    const pipeline = programs.filter(({ name }) => /^(display|wm|browser|encoder)-/.test(name));
    return state === "running" && pipeline.length === 4 &&
      pipeline.every(({ state, uptime }) => state === "RUNNING" && uptime >= SETTLED_SECONDS);
  });
  return id;
}

/** Kills a program; returns when the page's picture is back. */
async function killProgram(service: TestService, kind: string): Promise<string> {
  const id = await phoenix(service);
  const pid = await service.programPid(`${kind}-${id}`);
  const before = await newestSequence(service, id);
  Deno.kill(pid, "SIGKILL");
  const killedAt = performance.now();
  // segments that were under way when it died do not count; a sequence that goes back never gets there
  await untilPageShown(service, id, before + 2, BACK_MS);
  assert.ok(performance.now() - killedAt < BACK_MS);
  assert.notEqual(await service.programPid(`${kind}-${id}`), pid);
  return id;
}

serviceTest(
  "kill -9 of the encoder: the picture is back within 10 s, the break is marked",
  async (service) => {
    const id = await killProgram(service, "encoder");
    const { segments } = (await fetchPlaylist(playlistUrl(service, id)))!;
    assert.ok(segments.some(({ discontinuity }) => discontinuity), "no EXT-X-DISCONTINUITY");
  },
);

serviceTest(
  "kill -9 of the browser: the picture is back within 10 s, no temporary file is left",
  async (service) => {
    await killProgram(service, "browser");
    const slots = [...Deno.readDirSync(join(service.runDir, "slots"))];
    assert.equal(slots.length, 1);
    const left = [...Deno.readDirSync(join(service.runDir, "slots", slots[0].name, "tmp"))];
    assert.equal(left.filter(({ name }) => name.startsWith("org.chromium.")).length, 1);
  },
);

serviceTest("kill -9 of the display: the picture is back within 10 s", async (service) => {
  await killProgram(service, "display");
});

serviceTest("a stopped encoder (SIGSTOP) is replaced, and the card says why meanwhile", async (service) => {
  const id = await phoenix(service);
  const pid = await service.programPid(`encoder-${id}`);
  const before = await newestSequence(service, id);
  Deno.kill(pid, "SIGSTOP");
  await until("state degraded", 15_000, async () => {
    const { state, reason } = await service.status(id);
    return state === "degraded" && reason?.includes("No new picture");
  });
  await untilPageShown(service, id, before, 40_000);
});

serviceTest("the sequence goes on after stop and start", async (service) => {
  const id = await phoenix(service);
  const before = await newestSequence(service, id);
  assert.equal((await service.api("POST", `/api/streams/${id}/stop`)).status, 200);
  assert.equal((await service.status(id)).state, "stopped");
  assert.equal(await fetchPlaylist(playlistUrl(service, id)), null);
  assert.equal((await service.api("POST", `/api/streams/${id}/start`)).status, 200);
  await untilPageShown(service, id, 0, 15_000);
  const playlist = (await fetchPlaylist(playlistUrl(service, id)))!;
  assert.ok(playlist.sequence > before, `${playlist.sequence} after ${before}`);
});

serviceTest(
  "kill -9 of the audio server: the encoder gets a new one, with the page's tone",
  async (service) => {
    const id = await phoenix(service);
    const encoder = await service.programPid(`encoder-${id}`);
    Deno.kill(await service.programPid(`audio-${id}`), "SIGKILL");
    await until("a new encoder", 15_000, async () => {
      return await service.programPid(`encoder-${id}`).catch(() => encoder) !== encoder;
    });
    await untilPageShown(service, id, await newestSequence(service, id), 20_000);
    await until("the page's tone", 20_000, async () => {
      const { rms, frequency } = await sound(playlistUrl(service, id), 2);
      return rms > 0.05 && Math.abs(frequency - 440) < 15;
    });
  },
);

serviceTest("kill -9 of supervisord: everything comes back by itself", async (service) => {
  const id = await phoenix(service);
  const [supervisord] = service.processes(/supervisord/);
  Deno.kill(supervisord, "SIGKILL");
  await until("the web app to be gone", 5000, async () => !await isHealthy(service.url));
  await until("the web app to be back", 20_000, () => isHealthy(service.url));
  await untilPageShown(service, id, 0, 20_000);
});
