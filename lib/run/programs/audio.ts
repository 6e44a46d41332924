/** `audio ID`: a stream's sound server. */
import type { Config } from "../../config.ts";
import { audioCommand } from "../../live/programs/commands/audio.ts";
import type { StreamId } from "../../model/id.ts";
import { execve } from "../../machine/os/exec.ts";
import { streamContext } from "./context.ts";

/** Becomes a stream's PulseAudio. */
export async function audio(config: Config, id: StreamId): Promise<never> {
  const { slot, env } = await streamContext(config, id);
  return execve(audioCommand(slot.pulseDir), env);
}
