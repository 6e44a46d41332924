/** `wm ID`: a stream's window manager. */
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { waitForDisplay } from "../../display/display.ts";
import type { StreamId } from "../../model/id.ts";
import { execve } from "../../machine/os/exec.ts";
import { streamContext } from "./context.ts";

/** Becomes a stream's openbox. */
export async function windowManager(config: Config, id: StreamId): Promise<never> {
  const { paths, spec, env } = await streamContext(config, id);
  await waitForDisplay(spec.display);
  const settings = join(paths.configDir, "openbox.xml");
  return execve(["/usr/bin/openbox", "--sm-disable", "--config-file", settings], env);
}
