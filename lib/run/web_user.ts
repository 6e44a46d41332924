/** Ways to the web app's files: its own into a data directory that only root can enter, such as one below /root, and root's. */
import type { Config } from "../config.ts";
import { becomeUser, type Identity, isRoot } from "../machine/os/exec.ts";
import { canReach, numberedUser, ownerOf } from "../machine/os/users.ts";
import { pathsOf } from "../paths.ts";
import { CommandError } from "./command_error.ts";

/**
 * The config with a data directory that the user reaches. An unreachable directory becomes our working directory, which
 * works whatever is above it. Call this before root's rights are dropped.
 */
export async function reachableDataDir(config: Config, user: Identity): Promise<Config> {
  if (!isRoot() || await canReach(user, config.DATA_DIR)) return config;
  Deno.chdir(config.DATA_DIR);
  return { ...config, DATA_DIR: "/proc/self/cwd" };
}

/**
 * Goes on with the rights of who could put a link in the place of the web app's files: then it leads root nowhere.
 * @returns the config with a data directory that this user reaches. @throws {CommandError} when there is a link.
 */
export async function becomeDataOwner(given: Config): Promise<Config> {
  const { streamsDir } = pathsOf(given);
  const above = await ownerOf(given.DATA_DIR) ?? 0;
  // before the first start, which gives root's files to the web app
  if (above === 0) await Deno.mkdir(streamsDir, { recursive: true, mode: 0o700 });
  const uid = above === 0 ? await ownerOf(streamsDir) : above;
  if (uid === null) {
    throw new CommandError(`${streamsDir} is a link. Mount the folder there, or remove the link.`);
  }
  const owner = numberedUser(uid);
  const config = await reachableDataDir(given, owner);
  if (uid !== 0) becomeUser(owner, { processes: null });
  await Deno.mkdir(pathsOf(config).streamsDir, { recursive: true, mode: 0o700 });
  return config;
}
