/**
 * How good pictures are on the air: those of what changes, beside those of an encoder that grabs the display, each compared
 * with the display itself (PSNR, by ffmpeg).
 */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { slotPaths } from "../../lib/paths.ts";
import { parseSpec } from "../../lib/live/programs/commands/spec.ts";
import { QUALITY_PRESETS } from "../../lib/model/schema.ts";
import { run } from "../../lib/machine/os/process.ts";
import { playlistUrl } from "../support/channel.ts";
import { tempDir } from "../support/fixture.ts";
import { fetchPlaylist } from "../support/media.ts";
import { within } from "../support/within.ts";
import { startService } from "../support/service.ts";

/** What a viewer sees of detail.html after so many segments, when the encoder has had time to refine it. */
const SEGMENTS = 8;
/** Below it, small text begins to look soft. */
const LEAST_DB = 30;
/** How much worse the pictures of what changes may be. */
const SLACK_DB = 0.5;

async function ffmpeg(args: string[], env: Record<string, string> = {}): Promise<string> {
  const argv = ["/usr/bin/ffmpeg", "-hide_banner", "-nostdin", "-y", ...args];
  const { code, stderr } = await run(argv, { timeoutMs: 30_000, env });
  assert.equal(code, 0, stderr);
  return stderr;
}

/** PSNR of the newest picture on the air against the display, in dB. */
async function measure(capture: "auto" | "x11grab", quality: keyof typeof QUALITY_PRESETS): Promise<number> {
  await using folder = await tempDir();
  const service = await startService({ env: { CAPTURE: capture } });
  try {
    const fields = { ...QUALITY_PRESETS[quality], resolution: "1280x720", scale: "1280x720", audio: false };
    const { id } = await service.create({ name: "Detail", url: `${service.pageUrl}detail.html`, ...fields });
    let newest = "";
    await within("the channel", 60_000, async () => {
      const url = playlistUrl(service, id);
      const playlist = await fetchPlaylist(url);
      newest = new URL(playlist?.segments.at(-1)?.uri ?? "", url).href;
      const { [id]: status } = await (await service.api("GET", "/api/streams/statuses")).json();
      return (playlist?.segments.length ?? 0) >= SEGMENTS && status.page?.state === "ok";
    });
    const { display } = parseSpec(await Deno.readTextFile(join(service.runDir, "streams", `${id}.json`)));
    const { xauthority } = slotPaths({ slotsDir: join(service.runDir, "slots") }, display);
    const shown = join(folder.path, "shown.png");
    await ffmpeg(
      [
        ...["-f", "x11grab", "-draw_mouse", "0", "-video_size", "1280x720", "-i", `:${display}.0`],
        ...["-frames:v", "1", shown],
      ],
      { XAUTHORITY: xauthority },
    );
    const matrix = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,setpts=0";
    const said = await ffmpeg([
      ...["-f", "mpegts", "-i", newest, "-i", shown],
      ...["-lavfi", `[0:v]setpts=0,trim=end_frame=1[air];[1:v]${matrix}[page];[air][page]psnr`],
      ...["-frames:v", "1", "-f", "null", "-"],
    ]);
    const psnr = Number(/PSNR .*average:([\d.]+)/.exec(said)?.[1]);
    assert.ok(psnr > 0, said);
    return psnr;
  } finally {
    await service.stop();
  }
}

for (const quality of ["Dashboard", "Video"] as const) {
  Deno.test(`${quality}: pictures of what changes are as good as grabbed ones`, async () => {
    const [changes, grabbed] = [await measure("auto", quality), await measure("x11grab", quality)];
    console.log(`${quality}: ${changes.toFixed(1)} dB of what changes, ${grabbed.toFixed(1)} dB grabbed`);
    assert.ok(changes >= LEAST_DB, `${changes} dB`);
    assert.ok(changes >= grabbed - SLACK_DB, `${changes} dB of what changes, ${grabbed} dB grabbed`);
  });
}
