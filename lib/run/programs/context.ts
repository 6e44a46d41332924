/** The context of the programs: the user that they become, their folders, their environment. */
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { instanceName, type Paths, pathsOf, type SlotPaths, slotPaths } from "../../paths.ts";
import { pulseSocket } from "../../live/programs/commands/audio.ts";
import { busVariables } from "../../live/programs/commands/bus.ts";
import { joinDisplay } from "../../display/shared_memory.ts";
import { parseSpec, readSpecText, type StreamSpec } from "../../live/programs/commands/spec.ts";
import type { StreamId } from "../../model/id.ts";
import { becomeUser, type Identity, isRoot, leaveSharedMemory } from "../../machine/os/exec.ts";
import { MemoryGroups } from "../../machine/os/memory_group.ts";
import { RUN_MARKER } from "../../machine/os/orphans.ts";
import { type Promises, readPromises } from "../../machine/os/promises.ts";
import { recordedUser } from "../../machine/os/users.ts";
import { errorText } from "../../machine/tools/log.ts";

/** All processes of a stream's user: a page with many frames has some hundreds, a fork bomb has these at once. */
const MAX_PROCESSES = 2000;

/** The data for the subcommands' command lines. */
export interface ExecContext {
  config: Config;
  paths: Paths;
  env: Record<string, string>;
}

export interface StreamContext extends ExecContext {
  id: StreamId;
  spec: StreamSpec;
  slot: SlotPaths;
  user: Identity;
}

/** The whole environment of a program: no variable of the service, so no secret. */
export function plainEnv(
  config: Config,
  paths: Paths,
  user: Identity,
  homeDir: string,
): Record<string, string> {
  return {
    [RUN_MARKER]: paths.runDir,
    HOME: homeDir,
    USER: user.name,
    LOGNAME: user.name,
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "C.UTF-8",
    ...(config.TZ ? { TZ: config.TZ } : {}),
  };
}

/** Makes a shared program the user that owns the program's folder, and works there. */
export async function sharedContext(config: Config, folder: (paths: Paths) => string): Promise<ExecContext> {
  const paths = pathsOf(config);
  Deno.chdir(folder(paths));
  const user = await recordedUser(folder(paths));
  becomeUser(user, { processes: isRoot() ? MAX_PROCESSES : null });
  return { config, paths, env: plainEnv(config, paths, user, folder(paths)) };
}

/** Puts this process under a memory limit. @throws {Error} when the limit is not there: a page could take all memory. */
export async function joinMemoryGroup(config: Config, name: string): Promise<void> {
  try {
    const groups = await MemoryGroups.find(instanceName(config));
    if (!groups) throw new Error("the kernel's groups of this service are gone");
    await groups.join(name);
  } catch (error) {
    throw new Error(`the memory limit does not hold: ${errorText(error)}`);
  }
}

interface StreamOptions {
  mayGainRights?: boolean;
  keep?: Identity;
  /** Whether the program shares pixels with the display. */
  usesDisplay?: boolean;
  /** Does the work of root, by the stream's spec and for its user, before the program becomes that user. @throws {Error} */
  asRoot?(text: string, user: Identity, promises: Promises): Promise<void>;
}

/**
 * Makes a program of a stream the stream's user. The stream's spec is the web app's file: it is read with the web app's
 * rights, and parsed with the stream's alone.
 */
export async function streamContext(
  config: Config,
  id: StreamId,
  { mayGainRights, keep, usesDisplay = false, asRoot }: StreamOptions = {},
): Promise<StreamContext> {
  const paths = pathsOf(config);
  const web = await recordedUser(paths.webDir);
  const user = await recordedUser(join(paths.profilesDir, id));
  const promises = await readPromises(paths.promisesFile);
  if (promises.memoryLimits) await joinMemoryGroup(config, id);
  if (!leaveSharedMemory() && promises.ownSharedMemory) {
    throw new Error("the kernel gives the stream no shared memory of its own, as it did at the start");
  }
  const text = readSpecText(paths.specsDir, id, web);
  await asRoot?.(text, user, promises);
  if (usesDisplay && promises.ownSharedMemory) await joinDisplay(user.uid);
  becomeUser(user, { processes: isRoot() ? MAX_PROCESSES : null, mayGainRights }, keep);
  const spec = parseSpec(text);
  const slot = slotPaths(paths, spec.display);
  const env = {
    ...plainEnv(config, paths, user, slot.homeDir),
    DISPLAY: `:${spec.display}`,
    XAUTHORITY: slot.xauthority,
    XDG_RUNTIME_DIR: slot.pulseDir,
    PULSE_SERVER: `unix:${pulseSocket(slot.pulseDir)}`,
    ...busVariables(),
  };
  return { config, paths, env, id, spec, slot, user };
}
