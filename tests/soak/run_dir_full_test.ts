/** RUN_DIR, which has the segments, is full while a stream runs: people are told, nothing is lost, and it passes. */
import { strict as assert } from "node:assert";
import { dirname, join } from "node:path";
import { DEFAULT_TIMINGS } from "../../lib/timings.ts";
import { untilPageShown } from "../support/channel.ts";
import { listedSequence } from "../support/faults.ts";
import { tempDir } from "../support/fixture.ts";
import { canMount, fillDisk, NEEDS_MOUNT, withOwnMounts } from "../support/mounts.ts";
import { pause, within } from "../support/within.ts";
import { SOURCE_PROGRAM, startService } from "../support/service.ts";

/** In it, an encoder is found to be silent (12 s), and those after it cannot begin. */
const FULL_MS = 30_000;
/** supervisord gives programs up after 10 tries, and the keeper begins anew every 30 s. */
const BACK_MS = 90_000;

Deno.test({
  name: `a full RUN_DIR is said, the list is still written, the channel is back with room (${NEEDS_MOUNT})`,
  ignore: !canMount(),
  fn: async () => {
    await using dir = await tempDir("/dev/shm"); // a short path: sockets have to fit
    const env = { RUN_DIR: join(dir.path, "run") };
    // on its parent, so that the service can remove it
    const mount = '/usr/bin/mount -t tmpfs -o size=64m,mode=755 tmpfs "$0"';
    const service = await startService({
      program: withOwnMounts(SOURCE_PROGRAM, mount, dirname(env.RUN_DIR)),
      env,
      timings: { disk: { ...DEFAULT_TIMINGS.disk, checkMs: 1000 }, pageLookMs: 1000, statusCacheMs: 200 },
    });
    // what it sees there is not what we see
    const seen = { ...service, runDir: `/proc/${service.pid}/root${env.RUN_DIR}` };
    const filler = join(seen.runDir, "filler");
    try {
      const { id } = await service.create({ name: "Clock" });
      await untilPageShown(service, id, 0, { limitMs: 30_000 });

      await fillDisk(filler);
      const said =
        /^The disk of RUN_DIR is nearly full: 0 MB of 67 MB are free\. When it is full, channels stop/;
      await within("the health check to say it", 10_000, async () => {
        const { status, reasons = [] } = await (await service.api("GET", "/healthz")).json();
        return status === "ok" && said.test(reasons[0]);
      });
      assert.match(await (await service.api("GET", "/")).text(), /The disk of RUN_DIR is nearly full/);
      const events = async () => await (await service.api("GET", `/api/streams/${id}/events`)).text();
      await within(
        "the stream's events to say it",
        15_000,
        async () => (await events()).includes("The disk that the channels are on is nearly full"),
      );
      await within("the channel to stop", 30_000, async () => {
        const { state, reason, trouble } = await service.status(id);
        return state === "degraded" && trouble === "disk-full" && /^No new picture/.test(reason ?? "");
      }).catch(async (error) => {
        throw new Error(`${error.message}; it is ${JSON.stringify(await service.status(id))}`);
      });

      for (const end = Date.now() + FULL_MS, at = Date.now(); Date.now() < end; await pause(2000)) {
        await fillDisk(filler); // what was removed meanwhile
        const name = `Clock ${Date.now() - at}`;
        assert.equal((await service.api("PATCH", `/api/streams/${id}`, { name })).status, 200);
        const list = await Deno.readTextFile(join(service.dataDir, "streams/streams.json"));
        assert.ok(list.includes(`"${name}"`), "the list was not written");
      }
      await service.create({ name: "Later", desiredState: "stopped" });
      assert.notEqual((await service.status(id)).state, "running");

      const last = listedSequence(seen, id);
      await Deno.remove(filler);
      await within(
        "the health check to be content",
        10_000,
        async () => (await (await service.api("GET", "/healthz")).json()).reasons === undefined,
      );
      await untilPageShown(service, id, last, { limitMs: BACK_MS });
      await service.untilState(id, "running");
    } finally {
      await service.stop();
    }
  },
});
