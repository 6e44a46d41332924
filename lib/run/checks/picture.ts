/** Trials of a picture's way: display, browser, encoder. */
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { displayCommand, isDisplayUp } from "../../display/display.ts";
import { trialCommand } from "../../live/programs/commands/browser.ts";
import { type Finding, ok, problem, skipped, warning } from "./finding.ts";
import { findSandbox, SANDBOX_OFF } from "./sandbox.ts";
import type { Trial } from "./trial.ts";

const RESOLUTION = "1280x720";
const DISPLAY_MS = 10_000;
const BROWSER_MS = 25_000;
const FFMPEG_MS = 15_000;

/** Whether Xvnc starts. */
export async function checkDisplay(trial: Trial): Promise<Finding> {
  const spec = { display: trial.display, stream: { resolution: RESOLUTION } };
  const command = displayCommand(spec, join(trial.folder, "rfb"), trial.xauthority);
  const failed = await trial.start(command, () => isDisplayUp(trial.display, trial.user.uid), DISPLAY_MS);
  if (failed === null) return ok(`Xvnc starts on display :${trial.display}`);
  return problem(
    `Xvnc does not start: ${failed}`,
    "Check that all users can write to /tmp and /tmp/.X11-unix (mode 1777), and that the disk is not full.",
  );
}

/** Whether the display is as bright as an empty page. X's own background is black. */
async function isWhite(trial: Trial): Promise<boolean> {
  const grab = ["-f", "x11grab", "-draw_mouse", "0", "-video_size", RESOLUTION, "-i", `:${trial.display}.0`];
  const mean = ["-frames:v", "1", "-vf", "scale=1:1:flags=area,format=rgb24", "-f", "rawvideo", "pipe:1"];
  const quiet = ["-hide_banner", "-nostdin", "-loglevel", "error"];
  // a pixel as text: white is three bytes that are no UTF-8
  const { code, stdout } = await trial.run(["/usr/bin/ffmpeg", ...quiet, ...grab, ...mean], FFMPEG_MS);
  return code === 0 && stdout === "\ufffd\ufffd\ufffd";
}

/** Whether Chromium starts as a stream's user with its sandbox, and its page is seen on the display. */
export async function checkBrowser(trial: Trial, config: Config): Promise<Finding> {
  if (!await isDisplayUp(trial.display, trial.user.uid)) return skipped("there is no display to try it on");
  const sandbox = await findSandbox(config);
  if (sandbox === "setuid") return skipped("its sandbox is Debian's setuid program, which is not tried here");
  const command = trialCommand(RESOLUTION, join(trial.folder, "profile"), sandbox !== "off");
  const failed = await trial.start(command, () => isWhite(trial).catch(() => false), BROWSER_MS);
  if (failed !== null) {
    return problem(
      `Chromium shows nothing: ${failed}`,
      "Give it more memory and /dev/shm if these are low. Else start it by hand as a user other than root and " +
        "read what it prints: chromium --no-first-run about:blank",
    );
  }
  if (sandbox === "on") {
    return ok("Chromium starts with its sandbox as a user of its own, and shows its page");
  }
  return warning("Chromium starts, without its sandbox", SANDBOX_OFF.remedy);
}

/** The inputs and outputs of an encoder, by ffmpeg's names. */
const NEEDED = { "-devices": ["x11grab", "pulse"], "-protocols": ["rtmp", "unix"], "-muxers": ["flv"] };

/** Whether ffmpeg has the parts of an encoder, and encodes. */
export async function checkEncoder(trial: Trial): Promise<Finding> {
  const remedy = "Install Debian's ffmpeg again: sudo apt-get install --reinstall ffmpeg";
  const missing: string[] = [];
  for (const [question, names] of Object.entries(NEEDED)) {
    const { stdout } = await trial.run(["/usr/bin/ffmpeg", "-hide_banner", question], FFMPEG_MS);
    const known = new Set(stdout.split(/[\s,]+/));
    missing.push(...names.filter((name) => !known.has(name)));
  }
  if (missing.length > 0) return problem(`ffmpeg does not know ${missing.join(", ")}`, remedy);
  const sources = ["-f", "lavfi", "-i", "testsrc2=size=640x360:rate=10", "-f", "lavfi", "-i", "anullsrc"];
  const codecs = ["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", "-t", "1"];
  const quiet = ["-hide_banner", "-nostdin", "-loglevel", "error"];
  const encode = ["/usr/bin/ffmpeg", ...quiet, ...sources, ...codecs, "-f", "flv", "-y", "/dev/null"];
  const { code, stderr } = await trial.run(encode, FFMPEG_MS);
  if (code !== 0) return problem(`ffmpeg does not encode: ${stderr.trim().split("\n").at(-1)}`, remedy);
  return ok("ffmpeg encodes H.264 and AAC");
}

/** Whether nginx takes the modules of media server and front door. */
export async function checkMediaServer(trial: Trial): Promise<Finding> {
  const modules = ["rtmp", "stream"].map((name) =>
    `load_module /usr/lib/nginx/modules/ngx_${name}_module.so;`
  );
  const file = join(trial.folder, "nginx.conf");
  const blocks = ["error_log stderr;", `pid ${trial.folder}/nginx.pid;`, "events {}", "rtmp {}", "stream {}"];
  await Deno.writeTextFile(file, [...modules, ...blocks].join("\n") + "\n");
  const argv = ["/usr/sbin/nginx", "-t", "-e", "stderr", "-p", trial.folder, "-c", file];
  const { code, stderr } = await trial.run(argv, 10_000);
  if (code === 0) return ok("nginx has its modules for RTMP and streams");
  const said = stderr.split("\n").find((line) => line.includes("[emerg]")) ?? stderr.trim();
  return problem(
    `nginx cannot be used: ${said.slice(0, 300)}`,
    "nginx and its modules must be of one version: sudo apt-get install --reinstall nginx-light libnginx-mod-rtmp " +
      "libnginx-mod-stream",
  );
}
