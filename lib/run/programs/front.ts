/** `front`: the front door. */
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { frontSocket } from "../../door/front/config.ts";
import { pathsOf } from "../../paths.ts";
import { execve } from "../../machine/os/exec.ts";
import { removeTree } from "../../machine/os/files.ts";
import { killNginx } from "../../machine/os/orphans.ts";
import { sharedContext } from "./context.ts";
import { nginxSockets } from "./sockets.ts";

/** Becomes the front door: nginx, which passes the admitted requests to the web app. */
export async function front(config: Config): Promise<never> {
  const paths = pathsOf(config);
  killNginx(paths.frontDir);
  // nginx does not replace the socket of a killed nginx
  await removeTree(frontSocket(paths));
  const { env } = await sharedContext(config, ({ frontDir }) => frontDir);
  const handed = nginxSockets();
  const settings = join(paths.configDir, "front.conf");
  const command = ["/usr/sbin/nginx", "-e", "stderr", "-p", paths.frontDir, "-c", settings];
  return execve(command, { ...env, ...handed.env }, { sockets: handed.sockets });
}
