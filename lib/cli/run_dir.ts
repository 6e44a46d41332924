/** The run directory: sockets, segments and tokens of one run. */
import { join } from "node:path";
import { readSpec } from "../pipeline/spec.ts";
import { removeStaleDisplay } from "../pipeline/display.ts";
import { isStreamId } from "../streams/id.ts";
import type { Paths } from "../paths.ts";
import { ensureFolder, removeTree } from "../system/files.ts";
import type { Identity } from "../system/exec.ts";

/** Removes what the X servers of an earlier or ending run left in /tmp. */
async function removeStaleDisplays(paths: Paths): Promise<void> {
  const names = await Deno.stat(paths.specsDir).then(() => [...Deno.readDirSync(paths.specsDir)], () => []);
  for (const { name } of names) {
    const id = name.replace(/\.json$/, "");
    if (id === name || !isStreamId(id)) continue;
    const spec = await readSpec(paths.specsDir, id).catch(() => null);
    if (spec) await removeStaleDisplay(spec.display);
  }
}

/** Empties the run directory but for the lock, and makes its folders. */
export async function makeRunDir(paths: Paths, user: Identity): Promise<void> {
  await removeStaleDisplays(paths);
  for await (const { name } of Deno.readDir(paths.runDir)) {
    if (join(paths.runDir, name) !== paths.upLock) await removeTree(join(paths.runDir, name));
  }
  await ensureFolder(paths.runDir, 0o755);
  await ensureFolder(paths.specsDir, 0o700);
  // the pipeline's user must not own hls: it could replace live by a link, and we delete below it
  await ensureFolder(paths.hlsDir, 0o755);
  await ensureFolder(join(paths.hlsDir, "live"), 0o755, user);
  const { vncDir, pulseDir, mediaDir, frontDir, webDir, homeDir, tempDir } = paths;
  for (const folder of [vncDir, pulseDir, mediaDir, frontDir, webDir, homeDir, tempDir]) {
    await ensureFolder(folder, 0o700, user);
  }
  // no X server of a normal user can make it
  if (!await Deno.stat("/tmp/.X11-unix").catch(() => null)) await ensureFolder("/tmp/.X11-unix", 0o1777);
}

/** Removes the run directory, and what its X servers left outside of it. */
export async function removeRunDir(paths: Paths): Promise<void> {
  await removeStaleDisplays(paths).catch(() => {});
  await removeTree(paths.runDir).catch(() => {});
}
