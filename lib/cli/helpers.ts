/** The small helpers of a stream as subcommands: they stay, so they are the only ones that cost a runtime. */
import type { Config } from "../config.ts";
import { type Channel, startedChannel } from "../pipeline/spec.ts";
import { autoLogin } from "../devtools/autologin.ts";
import { autoReload } from "../devtools/autoreload.ts";
import { placesOf } from "../paths.ts";
import { becomeUser } from "../system/exec.ts";
import { pipelineUser } from "../system/users.ts";

async function unprivilegedChannel(config: Config, id: string): Promise<Channel> {
  const channel = await startedChannel(placesOf(config).specsDir, id);
  becomeUser(await pipelineUser(config.PIPELINE_USER));
  return channel;
}

/** Aborts on SIGTERM, so that nothing waits for its sleep to end. */
function untilTerminated(): AbortSignal {
  const end = new AbortController();
  Deno.addSignalListener("SIGTERM", () => end.abort());
  Deno.addSignalListener("SIGINT", () => end.abort());
  return end.signal;
}

export async function autoreload(config: Config, id: string): Promise<void> {
  const { stream, devtoolsPort } = await unprivilegedChannel(config, id);
  await autoReload(devtoolsPort, stream.autoReloadInterval, untilTerminated());
  Deno.exit(0);
}

export async function autologin(config: Config, id: string): Promise<void> {
  const { stream, devtoolsPort } = await unprivilegedChannel(config, id);
  console.log(await autoLogin({ port: devtoolsPort, ...stream }, untilTerminated()));
  Deno.exit(0);
}
