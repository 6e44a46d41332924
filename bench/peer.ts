/** Another project's way to a stream's picture, on the same display (docs/pipeline.md). */
import { join } from "node:path";
import { parseConfig } from "../lib/config.ts";
import { pathsOf, slotPaths } from "../lib/paths.ts";
import { readSpec, type StreamSpec } from "../lib/live/programs/commands/spec.ts";
import { streamId } from "../lib/model/id.ts";
import type { TestService } from "../tests/support/service.ts";

export interface Surroundings {
  spec: StreamSpec;
  /** What lets a program to the stream's display and sound. */
  env: Record<string, string>;
}

/** Of a stream that runs. */
export async function surroundingsOf(service: TestService, id: string): Promise<Surroundings> {
  const paths = pathsOf(parseConfig(service.env));
  const spec = await readSpec(paths.specsDir, streamId(id));
  if (!spec) throw new Error(`${id} does not run`);
  const { xauthority, pulseDir } = slotPaths(paths, spec.display);
  return { spec, env: { XAUTHORITY: xauthority, PULSE_SERVER: `unix:${join(pulseDir, "native")}` } };
}

/** The other project's command line. @param target where it publishes to. */
export function peerCommand({ stream, display }: StreamSpec, target: string): string[] {
  const video = ["-f", "x11grab", "-draw_mouse", "0", "-framerate", "30", "-video_size", stream.resolution];
  const silence = ["-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo"];
  const x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "stillimage", "-pix_fmt", "yuv420p"];
  const rate = ["-b:v", "1500k", "-maxrate", "1500k", "-bufsize", "3000k", "-g", "60"];
  return [
    ...["/usr/bin/ffmpeg", "-v", "error", "-nostdin", ...video, "-i", `:${display}.0`, ...silence],
    ...["-vf", `scale=${stream.scale.replace("x", ":")}`, ...x264, ...rate, "-c:a", "aac", "-b:a", "128k"],
    ...["-f", "flv", target],
  ];
}

/** Starts one of these. Disposing of it kills it: ffmpeg may wait for ever for one of its inputs. */
export function startOther(
  argv: string[],
  env: Record<string, string>,
  end: Deno.Signal = "SIGKILL",
): Deno.ChildProcess & AsyncDisposable {
  const [command, ...args] = argv;
  const child = new Deno.Command(command, { args, env, stdin: "null", stdout: "null", stderr: "null" })
    .spawn();
  return Object.assign(child, {
    async [Symbol.asyncDispose]() {
      try {
        child.kill(end);
      } catch {
        // it has ended
      }
      await child.status;
    },
  });
}
