/**
 * Somebody cleans folders of ours away while the service runs: systemd's RemoveIPC takes RUN_DIR, a person takes logs or
 * profiles. They are made anew, and all channels are back.
 */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { untilPageShown } from "../support/channel.ts";
import { same, until } from "../support/same.ts";
import { sharedService, SMALL, type TestService } from "../support/service.ts";

const serviceTest = sharedService({ streams: { ...SMALL, resolution: "640x360", scale: "320x180" } });

/** Owner, group and mode of a folder, and which one it is; null: it is not there. */
async function folderOf(path: string) {
  const there = await Deno.lstat(path).catch(() => null);
  return there && { rights: [there.uid, there.gid, there.mode! & 0o7777], ino: there.ino };
}

/** Removes folders, and waits until they are there as before, and the channel is back with all that it is made by. */
async function clean(service: TestService, paths: string[], restarts: boolean): Promise<void> {
  const { id } = await service.sharedStream({ name: "Ash" });
  await untilPageShown(service, id, 0);
  await service.settled();
  const supervisord = () => service.processes(/\/usr\/bin\/supervisord/)[0];
  const [pid, before] = [supervisord(), await Promise.all(paths.map(folderOf))];
  assert.ok(before.every((one) => one !== null), "the folders are there");
  for (const path of paths) await Deno.remove(path, { recursive: true });
  await same(
    async () => (await Promise.all(paths.map(folderOf))).map((one) => one?.rights),
    before.map((one) => one!.rights),
  );
  if (restarts) {
    await until(
      "another supervisord",
      () => Promise.resolve(supervisord() !== undefined && supervisord() !== pid),
    );
  }
  await service.settled();
  await service.untilState(id, "running");
  await untilPageShown(service, id, 0);
  // what was made anew is what new programs need
  await service.api("POST", `/api/streams/${id}/restart`);
  await service.untilState(id, "running");
  await untilPageShown(service, id, 0);
  await using added = await service.temporaryStream({ name: "Birch" });
  await service.untilState(added.id, "running");
  if (!restarts) assert.equal(supervisord(), pid, "the other channels went on");
}

serviceTest(
  "the run directory is removed, and all that is generated",
  (service) => clean(service, [service.runDir, join(service.dataDir, "config")], true),
);
