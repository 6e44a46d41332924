/** `media`: the media server. */
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { pathsOf } from "../../paths.ts";
import { execve } from "../../system/exec.ts";
import { killNginx } from "../../system/orphans.ts";
import { sharedContext } from "./context.ts";

/** Becomes the media server, nginx with the RTMP module. */
export async function media(config: Config): Promise<never> {
  killNginx(pathsOf(config).mediaDir);
  const { paths, env } = await sharedContext(config, ({ mediaDir }) => mediaDir);
  const settings = join(paths.configDir, "nginx.conf");
  return execve(
    ["/usr/sbin/nginx", "-e", "stderr", "-p", paths.mediaDir, "-c", settings],
    env,
  );
}
