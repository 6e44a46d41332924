/** The web app's way to a data directory that only root can enter, such as a directory below /root. */
import type { Config } from "../config.ts";
import { type Identity, isRoot } from "../os/exec.ts";
import { canReach } from "../os/users.ts";

/**
 * The config with a data directory that the user reaches. An unreachable directory becomes our working directory, which
 * works whatever is above it. Call this before root's rights are dropped.
 */
export async function reachableDataDir(config: Config, user: Identity): Promise<Config> {
  if (!isRoot() || await canReach(user, config.DATA_DIR)) return config;
  Deno.chdir(config.DATA_DIR);
  return { ...config, DATA_DIR: "/proc/self/cwd" };
}
