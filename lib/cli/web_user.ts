/** What the web app's user can do with a data directory that only root can enter, such as one below /root. */
import type { Config } from "../config.ts";
import { type Identity, isRoot } from "../os/exec.ts";
import { canReach } from "../os/users.ts";

/**
 * The config with a data directory that the user reaches. One that it does not becomes our working directory, which can
 * be used whatever is above it. To be called before root's rights are dropped.
 */
export async function reachableDataDir(config: Config, user: Identity): Promise<Config> {
  if (!isRoot() || await canReach(user, config.DATA_DIR)) return config;
  Deno.chdir(config.DATA_DIR);
  return { ...config, DATA_DIR: "/proc/self/cwd" };
}
