/** What a display's user may cost the capture program, in virtual time. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DisplaySockets, SOCKETS } from "../../../../lib/display/capture/display_sockets.ts";
import { wantedLine } from "../../../../lib/display/capture/wanted.ts";
import { writeAll } from "../../../../lib/machine/tools/write_all.ts";
import { watchNothing } from "../../../support/capture_display.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { tempDir } from "../../../support/fixture.ts";
import { until } from "../../../support/same.ts";

/** The milliseconds of one client after the other. @param say what it says first. */
async function visits(clock: FakeClock, name: string, say: string, count: number): Promise<number> {
  await using dir = await tempDir();
  const openScreen = () => Promise.reject(new Error("there is no display"));
  const pixels = null as unknown as WebAssembly.Module;
  const parts = { display: 1, pixels, openScreen, watch: watchNothing };
  const sockets = new DisplaySockets(parts, dir.path, 0o600);
  let [visits, ms] = [0, 0];
  const coming = (async () => {
    for (; visits < count; visits++) {
      using client = await Deno.connect({ transport: "unix", path: join(dir.path, name) });
      await writeAll(client, new TextEncoder().encode(say)).catch(() => {});
      await client.read(new Uint8Array(100)).catch(() => null);
    }
  })();
  await until("all of them", async () => {
    await clock.advance(500);
    ms += 500;
    return visits === count;
  });
  await coming;
  await sockets.stop();
  return ms;
}

Deno.test("capture: who asks again and again is heard eight times a second", async () => {
  using clock = new FakeClock();
  const wanted = { output: { width: 320, height: 180 }, fps: 25, gop: 25 };
  const ms = await visits(clock, SOCKETS.ask, wantedLine(wanted), 100);
  assert.ok(ms >= 7000, `after ${ms} ms`);
});

Deno.test("capture: who reads again and again is let in twice a second", async () => {
  using clock = new FakeClock();
  const ms = await visits(clock, SOCKETS.video, "", 30);
  assert.ok(ms >= 9000, `after ${ms} ms`);
});
