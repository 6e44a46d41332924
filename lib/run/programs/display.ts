/** `display ID`: a stream's X and VNC server. */
import type { Config } from "../../config.ts";
import { vncSocket } from "../../paths.ts";
import { displayCommand } from "../../display/display.ts";
import type { StreamId } from "../../model/id.ts";
import { execve } from "../../machine/os/exec.ts";
import { streamContext } from "./context.ts";

/** Becomes a stream's Xvnc. */
export async function display(config: Config, id: StreamId): Promise<never> {
  const { paths, spec, slot, env } = await streamContext(config, id);
  return execve(displayCommand(spec, vncSocket(paths, id), slot.xauthority), env);
}
