/** The small helpers of a stream as subcommands: they stay, so they are the only ones that cost a runtime. */
import type { Config } from "../config.ts";
import type { StreamId } from "../streams/id.ts";
import { readStartedSpec, type StreamSpec } from "../pipeline/spec.ts";
import { autoLogin } from "../devtools/autologin.ts";
import { autoReload } from "../devtools/autoreload.ts";
import { pathsOf } from "../paths.ts";
import { dropPrivileges } from "../system/exec.ts";
import { pipelineUser } from "../system/users.ts";

async function unprivilegedSpec(config: Config, id: StreamId): Promise<StreamSpec> {
  const spec = await readStartedSpec(pathsOf(config).specsDir, id);
  dropPrivileges(await pipelineUser(config.PIPELINE_USER));
  return spec;
}

/** Aborts on SIGTERM, so that nothing waits for its sleep to end. */
function untilTerminated(): AbortSignal {
  const end = new AbortController();
  Deno.addSignalListener("SIGTERM", () => end.abort());
  Deno.addSignalListener("SIGINT", () => end.abort());
  return end.signal;
}

export async function autoreload(config: Config, id: StreamId): Promise<void> {
  const { stream, devtoolsPort } = await unprivilegedSpec(config, id);
  await autoReload(devtoolsPort, stream.autoReloadInterval, untilTerminated());
  Deno.exit(0);
}

export async function autologin(config: Config, id: StreamId): Promise<void> {
  const { stream, devtoolsPort } = await unprivilegedSpec(config, id);
  console.log(await autoLogin({ port: devtoolsPort, ...stream }, untilTerminated()));
  Deno.exit(0);
}
