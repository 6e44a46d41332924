/** A stream whose sound server is not there when its encoder starts is silent: that is said, and over once it is back. */
import { join } from "node:path";
import { parseConfig } from "../../lib/config.ts";
import { pathsOf } from "../../lib/paths.ts";
import { Supervisor } from "../../lib/machine/supervisor/control.ts";
import { groupName } from "../../lib/machine/supervisor/program_files.ts";
import { streamId } from "../../lib/model/id.ts";
import { run } from "../../lib/machine/os/process.ts";
import { playlistUrl } from "../support/channel.ts";
import { sound } from "../support/media.ts";
import { within } from "../support/within.ts";
import { sharedService } from "../support/service.ts";

/** An encoder waits 10 s for its sound server; nobody may start that sooner. */
const AWAY_SECONDS = 20;

const serviceTest = sharedService({
  timings: { programRetrySeconds: AWAY_SECONDS, encoderCheckMs: 1000, statusCacheMs: 200 },
});

serviceTest(
  "without a sound device the stream is on the air, degraded, and gets its sound back",
  async (service) => {
    const { id } = await service.create({ name: "Bell" });
    await service.untilState(id, "running");
    const config = join(pathsOf(parseConfig(service.env)).configDir, "supervisord.conf");
    const group = groupName(streamId(id));
    await new Supervisor(run, config).stop([`${group}:audio-${id}`, `${group}:encoder-${id}`]);
    await new Supervisor(run, config).start([`${group}:encoder-${id}`]);
    const trouble = async () => (await service.status(id)).trouble;
    await within("the silence to be said", AWAY_SECONDS * 1000, async () => await trouble() === "no-sound");
    await within("a sound server", 2 * AWAY_SECONDS * 1000, async () => await trouble() === undefined);
    await service.untilState(id, "running");
    await within("the page's tone", 30_000, async () => {
      const { rms, frequency } = await sound(playlistUrl(service, id), 2);
      return rms > 0.05 && Math.abs(frequency - 440) < 15;
    });
  },
);
