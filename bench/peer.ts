/**
 * Other ways to a stream's picture, on the same display at the same time: another project's (docs/pipeline.md), and our
 * own without the capture program.
 */
import { encoderCommand } from "../lib/pipeline/encoder.ts";
import type { StreamSpec } from "../lib/pipeline/spec.ts";

/** The other project's command line; what it makes is thrown away. */
export function peerCommand({ stream, display }: StreamSpec): string[] {
  const video = ["-f", "x11grab", "-draw_mouse", "0", "-framerate", "30", "-video_size", stream.resolution];
  const silence = ["-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo"];
  const x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "stillimage", "-pix_fmt", "yuv420p"];
  const rate = ["-b:v", "1500k", "-maxrate", "1500k", "-bufsize", "3000k", "-g", "60"];
  return [
    ...["/usr/bin/ffmpeg", "-v", "error", "-nostdin", ...video, "-i", `:${display}.0`, ...silence],
    ...["-vf", `scale=${stream.scale.replace("x", ":")}`, ...x264, ...rate, "-c:a", "aac", "-b:a", "128k"],
    ...["-f", "flv", "-y", "/dev/null"],
  ];
}

/** Our encoder where it takes every picture itself. */
export function grabbingCommand(spec: StreamSpec): string[] {
  const surroundings = { hasSink: true, rtmpPort: 1, preset: "", pictures: null, now: Date.now() };
  const argv = encoderCommand(spec, surroundings);
  const withoutKey = argv.filter((word, at) => word !== "-fpre" && argv[at - 1] !== "-fpre");
  return [...withoutKey.slice(0, -1), "-y", "/dev/null"];
}

/** Starts one of these. Disposing of it kills it: ffmpeg may wait for ever for one of its inputs. */
export function startOther(argv: string[], env: Record<string, string>): Deno.ChildProcess & AsyncDisposable {
  const [command, ...args] = argv;
  const child = new Deno.Command(command, { args, env, stdin: "null", stdout: "null", stderr: "null" })
    .spawn();
  return Object.assign(child, {
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // it has ended
      }
      await child.status;
    },
  });
}
