import assert from "node:assert/strict";
import { join } from "node:path";
import { removeLeftovers } from "../../../lib/run/leftovers.ts";
import { streamId } from "../../../lib/model/id.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { testBroker } from "../../support/broker.ts";
import { makePaths, namesIn, tempDir } from "../../support/fixture.ts";

setLogLevel("error");

const listed = (...ids: string[]) => () => Promise.resolve(ids.map(streamId));

/** Folders of the streams clock and gone, of which only clock is in the list. */
async function withFolders(test: (paths: Awaited<ReturnType<typeof makePaths>>) => Promise<void>) {
  await using dir = await tempDir();
  const paths = await makePaths(dir.path);
  await Deno.writeTextFile(paths.streamsFile, "[]");
  for (const name of ["clock", "gone", "No Stream"]) {
    for (const parent of [paths.profilesDir, paths.logsDir, paths.rewindDir]) {
      await Deno.mkdir(join(parent, name, "Default"), { recursive: true });
    }
  }
  await Deno.writeTextFile(join(paths.logsDir, "supervisord.log"), "");
  await test(paths);
}

Deno.test("profile, logs and past of a stream that is not in the list are removed, and nothing else", () =>
  withFolders(async (paths) => {
    await removeLeftovers({ paths, ids: listed("clock"), remove: (id) => testBroker(paths).remove(id) });
    assert.deepEqual(await namesIn(paths.profilesDir), ["No Stream", "clock"]);
    assert.deepEqual(await namesIn(paths.rewindDir), ["No Stream", "clock"]);
    assert.deepEqual(await namesIn(paths.logsDir), ["No Stream", "clock", "supervisord.log"]);
  }));

Deno.test("of a stream that another machine has by now, the past stays", () =>
  withFolders(async (paths) => {
    await Deno.mkdir(join(paths.rewindDir, "left"));
    const removed: [string, boolean][] = [];
    await removeLeftovers({
      paths,
      ids: listed(),
      elsewhere: ["clock", "left"].map(streamId),
      remove: (id, keepsPast) => Promise.resolve(void removed.push([id, keepsPast])),
    });
    assert.deepEqual(removed.toSorted(), [["clock", true], ["gone", false]]);
  }));

Deno.test("a stream that is created meanwhile keeps what it has", () =>
  withFolders(async (paths) => {
    const removed: string[] = [];
    await removeLeftovers({
      paths,
      ids: async () => {
        await Deno.mkdir(join(paths.profilesDir, "new"));
        return ["clock", "gone", "new"].map(streamId);
      },
      remove: (id) => Promise.resolve(void removed.push(id)),
    });
    assert.deepEqual(removed, []);
  }));

Deno.test("without a list, everything stays", () =>
  withFolders(async (paths) => {
    await Deno.remove(paths.streamsFile);
    await removeLeftovers({ paths, ids: listed(), remove: (id) => testBroker(paths).remove(id) });
    assert.deepEqual(await namesIn(paths.profilesDir), ["No Stream", "clock", "gone"]);
  }));

Deno.test("one that cannot be removed keeps neither the others nor the start", () =>
  withFolders(async (paths) => {
    await Deno.mkdir(join(paths.profilesDir, "also-gone"));
    const removed: string[] = [];
    await removeLeftovers({
      paths,
      ids: listed("clock"),
      remove: (id) =>
        id === "gone" ? Promise.reject(new Error("busy")) : Promise.resolve(void removed.push(id)),
    });
    assert.deepEqual(removed, ["also-gone"]);
  }));
