/** `media`: the media server. */
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { publicMediaSocket } from "../../channel/media/config.ts";
import { pathsOf } from "../../paths.ts";
import { deepenStack, execve } from "../../machine/os/exec.ts";
import { removeTree } from "../../machine/os/files.ts";
import { killNginx } from "../../machine/os/orphans.ts";
import { sharedContext } from "./context.ts";
import { nginxSockets } from "./sockets.ts";

/**
 * Bytes of stack. The RTMP module calls itself for each object in an object: its largest message takes a tenth of this
 * stack. With the usual 8 MiB any client could end the worker with 800 kB (measured: 230 bytes a level).
 */
const STACK_BYTES = 512 * 1024 * 1024;

/**
 * Bytes of memory, without its stack, for a worker: encoders' connections may hold 16 GiB of unfinished messages. No
 * cgroup can say so, as that would count the segments.
 */
function dataBytes(): number {
  return Math.ceil(Deno.systemMemoryInfo().total / 4);
}

/** Becomes the media server, nginx with the RTMP module. */
export async function media(config: Config): Promise<never> {
  const given = pathsOf(config);
  killNginx(given.mediaDir);
  // nginx does not replace the socket of a killed nginx
  const { mediaSocket, mediaPlaySocket } = given;
  for (const socket of [mediaSocket, mediaPlaySocket, publicMediaSocket(given)]) await removeTree(socket);
  if (!deepenStack(STACK_BYTES)) {
    console.error("the stack's limit cannot be raised: deeply nested messages may end a worker");
  }
  const { paths, env } = await sharedContext(config, ({ mediaDir }) => mediaDir);
  const handed = nginxSockets();
  const settings = join(paths.configDir, "nginx.conf");
  const nginx = ["/usr/sbin/nginx", "-e", "stderr", "-p", paths.mediaDir, "-c", settings];
  // by a program that sets the limit for the next one: we would be held to it ourselves
  const command = ["/usr/bin/prlimit", `--data=${dataBytes()}`, ...nginx];
  return execve(command, { ...env, ...handed.env }, { sockets: handed.sockets });
}
