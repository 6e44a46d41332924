/** Pictures of what changes, in the whole service. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { newestSequence, playlistUrl, untilPageShown } from "../support/channel.ts";
import { fetchPlaylist } from "../support/media.ts";
import { childrenOf, commandLine, niceness } from "../support/proc.ts";
import { until } from "../support/same.ts";
import { sharedService, type TestService } from "../support/service.ts";

const serviceTest = sharedService();

/** What the newest encoder of a stream says of its pictures. */
async function encoderLog({ dataDir }: TestService, id: string): Promise<string[]> {
  const text = await Deno.readTextFile(join(dataDir, "logs", id, "encoder.log"));
  return text.split("\n").filter((line) => /pictures|takes every/.test(line));
}

/** Without sound, for which the media server waits: a full machine would break a segment for it. */
const MOVING = { name: "Moving", fps: 25, audio: false };

const TAKEN = "pictures are taken of what changes";

serviceTest(
  "capture: a stream's segments are of one second each, moving or still",
  async (service) => {
    const moving = await service.sharedStream(MOVING);
    const still = await service.sharedStream({
      name: "Still",
      url: `${service.pageUrl}still.html`,
      audio: false,
    });
    for (const { id } of [moving, still]) {
      await until(`six segments of ${id}`, async () => {
        const playlist = await fetchPlaylist(playlistUrl(service, id));
        if (!playlist || playlist.segments.length < 6) return false;
        // the first after a start may be shorter by what came before the sound
        assert.deepEqual(playlist.segments.slice(-5).map(({ duration }) => duration), [1, 1, 1, 1, 1]);
        return true;
      });
      assert.deepEqual(await encoderLog(service, id), [TAKEN]);
    }
  },
);

serviceTest(
  "where processors are short, a browser gives way, and nobody else does",
  async (service) => {
    const { id } = await service.sharedStream(MOVING);
    await untilPageShown(service, id, 0); // Chromium has started all it needs
    const below = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(below)];
    const browser = below(await service.programPid(`browser-${id}`)).filter((pid) =>
      /chromium/.test(commandLine(pid))
    );
    assert.ok(browser.length >= 4, "Chromium and what it has started");
    const usual = niceness(service.pid);
    for (const pid of browser) assert.equal(niceness(pid), Math.min(19, usual + 5), commandLine(pid));
    const encoder = await service.programPid(`encoder-${id}`);
    for (const pid of [encoder, ...service.processes(/ (capture|serve|up)$|supervisord |nginx/)]) {
      assert.equal(niceness(pid), usual, commandLine(pid));
    }
  },
);

for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
  serviceTest(
    `capture: ${signal} of the capture program: pictures are back, and from it`,
    async (service) => {
      const { id } = await service.sharedStream(MOVING);
      await untilPageShown(service, id, 0);
      const [pid] = service.processes(/ capture$/);
      const before = await newestSequence(service, id);
      Deno.kill(pid, signal);
      await untilPageShown(service, id, before + 2);
      assert.equal((await encoderLog(service, id)).at(-1), TAKEN);
      assert.notEqual(service.processes(/ capture$/)[0], pid);
    },
  );
}
