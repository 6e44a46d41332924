/** `capture`: the capture program. */
import { join } from "node:path";
import type { FrameCounts } from "../../display/capture/frame_counts.ts";
import { compilePixels } from "../../display/capture/picture.ts";
import { runCapture } from "../../display/capture/server.ts";
import { giveSignOfLife } from "../../display/capture/sign_of_life.ts";
import { type Config, rewindBytes } from "../../config.ts";
import { captureKey, displaySizeFile, type Paths, pathsOf } from "../../paths.ts";
import { displayOwner } from "../../display/display.ts";
import { spaceAt } from "../../machine/os/disk.ts";
import { limitMemory, withoutHugePages } from "../../machine/os/exec.ts";
import { CAPTURE_GROUP } from "../../machine/os/memory_group.ts";
import { readPromises } from "../../machine/os/promises.ts";
import { Recorder } from "../../rewind/recorder/recorder.ts";
import { bytesBelow, Shelf } from "../../rewind/recorder/shelf.ts";
import type { SelfCommand } from "../self.ts";
import { joinMemoryGroup, sharedContext } from "./context.ts";
import { untilTerminated } from "./life.ts";

/** Films the displays for their encoders, until the program is stopped: it stays a Deno process. */
export async function capture(config: Config, { root }: SelfCommand): Promise<never> {
  // before root's rights are given up: root alone may be able to reach the file
  const pixels = await compilePixels(join(root, "wasm", "pixels.bin"));
  const { memoryLimits } = await readPromises(pathsOf(config).promisesFile);
  if (memoryLimits) await joinMemoryGroup(config, CAPTURE_GROUP);
  const { paths } = await sharedContext(config, ({ captureDir }) => captureDir);
  Deno.umask(0o027); // the web app, which has its group, reads the channels' past
  withoutHugePages(); // an encoder of the past would take a third more
  limitMemory(Deno.systemMemoryInfo().total / 2); // also where there are no cgroups
  const recorder = await openRecorder(config, paths);
  const parts = {
    foldersDir: paths.picturesDir,
    keyFile: (display: number) => captureKey(paths, display),
    sizeFile: (display: number) => displaySizeFile(paths, display),
    owner: (display: number) => displayOwner(paths, display),
    pixels,
    frames: new Map<number, FrameCounts>(),
    watch: (display: number, counts: FrameCounts) => recorder.watch(display, counts),
  };
  return await untilTerminated(async (signal) => {
    using _life = await giveSignOfLife(paths.captureDir, parts.frames);
    await runCapture(parts, signal);
    await recorder.stop();
  });
}

/** What keeps the channels' past. */
async function openRecorder({ REWIND_GB, REWIND_HOURS, TIMINGS }: Config, paths: Paths): Promise<Recorder> {
  const limits = {
    bytes: rewindBytes(REWIND_GB),
    taken: () => bytesBelow(paths.exportsDir),
    seconds: REWIND_HOURS * 3600,
    leastFree: TIMINGS.disk,
  };
  return await Recorder.open(await Shelf.open(paths.rewindDir, limits, spaceAt), paths.captureDir);
}
