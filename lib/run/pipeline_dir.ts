/** The folder for the files of the streams' users. */
import { join } from "node:path";
import { type Config, uidRangeOf } from "../config.ts";
import { instanceName } from "../paths.ts";
import { type Identity, isRoot } from "../machine/os/exec.ts";
import { canReach, numberedUser } from "../machine/os/users.ts";

/** PIPELINE_DIR, or DATA_DIR unless the streams' users cannot get there (a checkout in /root). */
export async function choosePipelineDir(config: Config): Promise<string> {
  if (config.PIPELINE_DIR) return config.PIPELINE_DIR;
  if (!isRoot() || await canReach(anyStreamUser(config), config.DATA_DIR)) return config.DATA_DIR;
  return join("/var/lib/browser-stream", instanceName(config));
}

/** Any of the users that streams get. */
export function anyStreamUser(config: Config): Identity {
  return numberedUser(uidRangeOf(config).first);
}
