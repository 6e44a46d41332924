import { strict as assert } from "node:assert";
import { join } from "node:path";
import { newestSequence, playlistUrl, untilPageShown } from "../support/channel.ts";
import { fetchPlaylist, sound } from "../support/media.ts";
import { pause, startService, type TestService, until } from "../support/service.ts";

/** The limit for the page's picture to be back. */
const BACK_MS = 10_000;

Deno.test("a killed program is replaced and the picture is back within 10 s", async (t) => {
  const service = await startService();
  try {
    const { id } = await service.create({ name: "Phoenix" });
    await untilPageShown(service, id, 0, 15_000);
    let lowest = 0;

    for (const kind of ["encoder", "browser", "display"]) {
      await t.step(`kill -9 of the ${kind}`, async () => {
        const pid = await service.programPid(`${kind}-${id}`);
        const before = await newestSequence(service, id);
        Deno.kill(pid, "SIGKILL");
        const killed = performance.now();
        // segments that were under way when it died do not count
        const newest = await untilPageShown(service, id, before + 2, BACK_MS);
        assert.ok(performance.now() - killed < BACK_MS);
        assert.notEqual(await freshPid(service, `${kind}-${id}`), pid);
        assert.ok(newest > before && newest > lowest, "the sequence went back");
        lowest = newest;
      });
      if (kind === "browser") {
        await t.step("nothing of the dead browser is left among the temporary files", () => {
          const folders = [...Deno.readDirSync(join(service.runDir, "tmp"))];
          assert.equal(folders.length, 1);
          const left = [...Deno.readDirSync(join(service.runDir, "tmp", folders[0].name))];
          assert.equal(left.filter(({ name }) => name.startsWith("org.chromium.")).length, 1);
        });
      }
      if (kind === "encoder") {
        await t.step("players are told of the break by EXT-X-DISCONTINUITY", async () => {
          const playlist = await fetchPlaylist(playlistUrl(service, id));
          assert.ok(playlist!.segments.some(({ discontinuity }) => discontinuity));
        });
      }
      await pause(4000); // let the replaced programs settle: three quick deaths are another case
    }

    await t.step("a stopped encoder (SIGSTOP) is replaced too, and the card says why meanwhile", async () => {
      const pid = await service.programPid(`encoder-${id}`);
      const before = await newestSequence(service, id);
      Deno.kill(pid, "SIGSTOP");
      await until("state degraded", 15_000, async () => {
        const { state, reason } = await service.status(id);
        return state === "degraded" && reason?.includes("no new picture");
      });
      await untilPageShown(service, id, before, 40_000);
    });

    await t.step("the sequence goes on after stop and start", async () => {
      const before = await newestSequence(service, id);
      assert.equal((await service.api("POST", `/api/streams/${id}/stop`)).status, 200);
      assert.equal((await service.status(id)).state, "stopped");
      assert.equal(await fetchPlaylist(playlistUrl(service, id)), null);
      assert.equal((await service.api("POST", `/api/streams/${id}/start`)).status, 200);
      await untilPageShown(service, id, 0, 15_000);
      const playlist = (await fetchPlaylist(playlistUrl(service, id)))!;
      assert.ok(playlist.sequence > before, `${playlist.sequence} after ${before}`);
    });
  } finally {
    await service.stop();
  }
});

Deno.test("a dead audio server or supervisor does not end the service", async (t) => {
  const service = await startService();
  try {
    const { id } = await service.create({ name: "Roots" });
    await untilPageShown(service, id, 0, 15_000);

    await t.step("kill -9 of the audio server: the encoder gets a new one", async () => {
      const encoder = await service.programPid(`encoder-${id}`);
      const [audio] = service.processes(/^\/usr\/bin\/pulseaudio/);
      Deno.kill(audio, "SIGKILL");
      await until("a new encoder", 15_000, async () => {
        const pid = await service.programPid(`encoder-${id}`).catch(() => encoder);
        return pid !== encoder;
      });
      await untilPageShown(service, id, await newestSequence(service, id), 20_000);
      await until("the page's tone", 20_000, async () => {
        const { rms, frequency } = await sound(playlistUrl(service, id), 2);
        return rms > 0.05 && Math.abs(frequency - 440) < 15;
      });
    });

    await t.step("kill -9 of supervisord: everything comes back by itself", async () => {
      const [supervisord] = service.processes(/supervisord/);
      Deno.kill(supervisord, "SIGKILL");
      await until("the web app to be gone", 5000, async () => {
        const answer = await fetch(`${service.url}/healthz`).catch(() => null);
        await answer?.body?.cancel();
        return !answer?.ok;
      });
      await until("the web app to be back", 20_000, async () => {
        const answer = await fetch(`${service.url}/healthz`).catch(() => null);
        await answer?.body?.cancel();
        return answer?.ok;
      });
      await untilPageShown(service, id, 0, 20_000);
    });
  } finally {
    await service.stop();
  }
});

/** The pid of a program that has just been killed, once it runs again. */
async function freshPid(service: TestService, name: string): Promise<number> {
  let pid = 0;
  await until(`${name} to run`, 5000, async () => {
    await pause(500);
    pid = await service.programPid(name).catch(() => 0);
    return pid !== 0;
  });
  return pid;
}
